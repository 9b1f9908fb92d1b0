import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { likelySecrets } from "../src/likely_secrets";

describe("text that is probably secret", () => {
  for (const [what, text] of [
    ["a password of a generator", "password: vK9pLq2Xw8Rt5Yb3Nz7M"],
    ["an access key", "id: AKIAIOSFODNN7EXAMPLE"],
    ["a private key", "key: |\n  -----BEGIN RSA PRIVATE KEY-----"],
    ["a token", "token: ghp_16C7e42F292c6912E7710c838347Ae178B4a"],
    ["a JSON web token", "jwt: eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc"],
  ] as const) {
    it(`finds ${what}`, () => expect(likelySecrets(`a: 1\n${text}\n`)).toHaveLength(1));
  }

  for (const text of [
    "image: registry.example.com/app@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "role: arn:aws:iam::012345678901:role/KarpenterNodeRole-Cluster1A",
    "subnet: subnet-0ab1c2d3e4f5a6b7c",
    "uid: 123e4567-e89b-12d3-a456-426614174000",
    "name: my-service-account-with-a-long-name-2",
    "kind: ValidatingAdmissionPolicyBinding",
    "caBundle: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUM",
    "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\n-----END CERTIFICATE-----",
  ]) {
    it(`passes ${text.slice(0, 50)}`, () => expect(likelySecrets(text)).toEqual([]));
  }

  it("asks for none of the repository's examples", () => {
    const folder = new URL("../../examples/", import.meta.url);
    const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => /\.(ya?ml|json)$/.test(path));
    const found = paths.flatMap((path) => likelySecrets(readFileSync(new URL(path, folder), "utf8")).map((line) => `${path}:${line}`));
    expect(paths.length).toBeGreaterThan(10);
    expect(found).toEqual([]);
  });
});
