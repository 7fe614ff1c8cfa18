import { FastMCP } from "fastmcp";
import { z } from "zod";
const server = new FastMCP({ name: "Kitchen", version: "1.0.0", instructions: "Cook." });
server.addTool({ name: "weigh", description: "Weighs.", parameters: z.object({ grams: z.number() }), annotations: { readOnlyHint: true }, execute: async (a) => `${a.grams} g` });
server.addTool({ name: "bake", description: "Bakes.", parameters: z.object({ dish: z.string() }), execute: async (a) => `baked ${a.dish}` });
server.addResource({ uri: "kitchen://menu", name: "menu", mimeType: "text/plain", async load() { return { text: "soup" }; } });
server.addPrompt({ name: "recipe", description: "A recipe.", arguments: [{ name: "dish", required: true }], load: async (a) => `How to cook ${a.dish}?` });
const i = process.argv.indexOf("--http");
await server.start(i < 0 ? { transportType: "stdio" } : { transportType: "httpStream", httpStream: { port: Number(process.argv[i + 1]), host: "127.0.0.1" } });
