// Calls one tool with the TypeScript SDK and prints what an application on it would see.
// Reads {url, token, name, arguments} as JSON from stdin; prints {tools, result} or {error}.
import { text } from "node:stream/consumers";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const call = JSON.parse(await text(process.stdin));
const headers = { Authorization: `Bearer ${call.token}` };
const client = new Client({ name: "typescript-client", version: "1.0.0" });
const seen = {};
try {
  await client.connect(new StreamableHTTPClientTransport(new URL(call.url), { requestInit: { headers } }));
  seen.tools = (await client.listTools()).tools;
  seen.result = await client.callTool({ name: call.name, arguments: call.arguments });
} catch (error) {
  seen.error = { name: error.name, code: error.code, message: error.message };
} finally {
  await client.close();
}
console.log(JSON.stringify(seen));
