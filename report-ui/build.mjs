// Bundles src/main.ts into one classic script: node build.mjs OUTPUT
// It opens with the licences of what it carries, so that every report which holds it says so.
import { readFileSync } from "node:fs";
import { build } from "esbuild";

const output = process.argv[2] ?? "report.js";
const packages = new URL("node_modules/", import.meta.url);
const text = (path) => readFileSync(new URL(path, packages), "utf8").trim();
const named = (name) => `${name} ${JSON.parse(text(`${name}/package.json`)).version}`;
const licences = [
  "The script of Tilewright's HTML reports, under the Apache License 2.0 (https://www.apache.org/licenses/LICENSE-2.0), with parts of:",
  `${named("echarts")}, under the same licence:\n${text("echarts/NOTICE")}`,
  `d3, in echarts:\n${text("echarts/licenses/LICENSE-d3")}`,
  `${named("zrender")}:\n${text("zrender/LICENSE")}`,
  `${named("tslib")}:\n${text("tslib/LICENSE.txt")}`,
].join("\n\n").replace(/\r/g, "");

await build({
  entryPoints: [new URL("src/main.ts", import.meta.url).pathname],
  outfile: output,
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "ascii",
  banner: { js: `/*! ${licences}\n*/` },
  legalComments: "none",
  logLevel: "warning",
});
