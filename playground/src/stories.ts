/**
 * The stories: questions with an answer, each with a page of its own. In the examples menu they have
 * a short label, which fits on a phone; `story_texts.ts` has their words.
 */
export const stories = {
  "leading-zero": "Lost leading zero",
  flux: "Flux variables",
  password: "Misplaced password",
  subnets: "List in an annotation",
  grafana: "Grafana dashboard",
  karpenter: "Karpenter",
  plan: "Change of outputs",
  fleet: "Fleet of clusters",
} as const;

export type StoryName = keyof typeof stories;

export const isStory = (name: string): name is StoryName => Object.hasOwn(stories, name);
