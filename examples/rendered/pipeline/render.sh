#!/bin/sh
# Runs after every merge to main: renders the application, and proposes the result in a pull
# request to the environment's branch.
set -eu
rendered=$(mktemp -d)
git clone --quiet --branch env/prod "$(git remote get-url origin)" "$rendered"
landfall render app --output-dir "$rendered/app" --prune
landfall check --no-references "$rendered/app"

source=$(git log -1 --format=%s)
cd "$rendered"
git add --all
git diff --cached --quiet && exit
git commit --quiet -m "prod: $source"
git push --quiet --force origin HEAD:env/prod-next
${PULL_REQUEST:-gh pr create --fill} --base env/prod --head env/prod-next
