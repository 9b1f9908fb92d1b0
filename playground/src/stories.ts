/** The questions of the examples menu, by the folder in `stories` that answers them. */
export const stories: Record<string, string> = {
  "leading-zero": "Why did my account ID lose its zero?",
  flux: "Can I keep Flux variables?",
  password: "Can a password go into a ConfigMap?",
  subnets: "How do I write a list into an annotation?",
  grafana: "Does a Grafana dashboard stay as it is?",
};
