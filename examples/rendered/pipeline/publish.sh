#!/bin/sh
# Runs after `terraform apply` on main: proposes the public outputs in a pull request to main.
set -eu
new=$(mktemp)
terraform -chdir=terraform output -json | landfall export public --quiet -b infra=- > "$new"
cmp -s "$new" outputs/prod.json && exit

# What the change does to the manifests; 1 is the exit code for changes. The first run has no
# older outputs to compare.
changes=$(mktemp)
if [ -e outputs/prod.json ]; then
  landfall diff --from outputs/prod.json --to "$new" app > "$changes" || [ $? -eq 1 ]
fi
mkdir -p outputs
cp "$new" outputs/prod.json
git checkout --quiet -B outputs/prod
git add outputs
git commit --quiet -m "outputs of prod" -m "$(cat "$changes")"
git push --quiet --force origin outputs/prod
git checkout --quiet main
${PULL_REQUEST:-gh pr create --fill} --base main --head outputs/prod
