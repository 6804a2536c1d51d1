// Lists and downloads a revision of a dataset with @huggingface/hub; prints file names and SHA-256 as JSON.
// Usage: node read.mjs HUB_URL ORG/NAME REVISION
import { createHash } from "node:crypto";
import { downloadFile, listFiles } from "@huggingface/hub";

const [hubUrl, name, revision] = process.argv.slice(2);
const repo = { type: "dataset", name };
const found = {};
for await (const entry of listFiles({ repo, revision, recursive: true, hubUrl })) {
  if (entry.type !== "file") continue;
  const blob = await downloadFile({ repo, path: entry.path, revision, hubUrl, xet: false });
  found[entry.path] = createHash("sha256").update(Buffer.from(await blob.arrayBuffer())).digest("hex");
}
console.log(JSON.stringify(found));
