/** The words of the stories, for the line on the page and for the page's description. */
import type { StoryName } from "./stories";

/** Sentences with code in backticks. */
export interface Story {
  question: string;
  answer: string;
  /** One thing to change, and what it shows. */
  attempt: string;
  /** The page of the documentation, in `docs`. */
  page: string;
}

export const storyTexts: Record<StoryName, Story> = {
  "leading-zero": {
    question: "Why did my account ID lose its zero?",
    answer: "Without quotes, YAML reads a number; landfall adds them.",
    attempt: "Change the value in the outputs to `x1` and see the quotes go.",
    page: "language/strings.md",
  },
  flux: {
    question: "Can I keep Flux variables?",
    answer: "Yes, `dialect: flux` in the Binding reads them as references.",
    attempt: "Change it to `landfall` and see the variables stay.",
    page: "dialects/flux.md",
  },
  password: {
    question: "Can a password go into a ConfigMap?",
    answer: "No, a sensitive output is allowed only in a Secret.",
    attempt: "Change `ConfigMap` to `Secret` and `data` to `stringData`, and see the result.",
    page: "language/sensitive-outputs.md",
  },
  subnets: {
    question: "How do I write a list into an annotation?",
    answer: "An annotation is a string: `join` makes one of the items.",
    attempt: "Change `join(\",\")` to `json` and see a JSON list.",
    page: "language/functions-lists.md",
  },
  grafana: {
    question: "Does a Grafana dashboard stay as it is?",
    answer: "Yes, only the names of bound outputs are references.",
    attempt: "Change `DS_PROMETHEUS` to `infra.cluster_name` and see it replaced.",
    page: "language/left-alone.md",
  },
  karpenter: {
    question: "How do I bring Terraform outputs into Karpenter?",
    answer: "With references; the rest of each file stays as it is.",
    attempt: "Change `cluster_name` in the outputs and see the files follow.",
    page: "folders.md",
  },
  plan: {
    question: "What changes with new outputs?",
    answer: "Each value of the result that changes is listed before you apply it.",
    attempt: "Open `Tools`, press `Compare`, and see two of three values change.",
    page: "diff.md",
  },
  fleet: {
    question: "How do outputs reach a fleet of clusters?",
    answer: "As annotations of cluster Secrets, for an ApplicationSet.",
    attempt: "Press `Make Applications` in `Tools` and see one for each.",
    page: "dialects/applicationset.md",
  },
};
