// Bundles src/main.ts into one classic script: node build.mjs OUTPUT
import { build } from "esbuild";

const output = process.argv[2] ?? "report.js";
await build({
  entryPoints: [new URL("src/main.ts", import.meta.url).pathname],
  outfile: output,
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "ascii",
  legalComments: "none",
  logLevel: "warning",
});
