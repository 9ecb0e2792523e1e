/**
 * Floor of the benchmark of callbacks: posts bodies with plain `node:http` over kept connections. Arguments: URL, number of
 * requests, connections, bytes of a body. Prints the requests a second and the CPU microseconds of one.
 */
import { Agent, request } from "node:http";

const [url = "", countText, connectionsText, bytesText] = process.argv.slice(2);
const count = Number(countText);
const connections = Number(connectionsText);
const body = Buffer.alloc(Number(bytesText), "x");
const agent = new Agent({ keepAlive: true, maxSockets: connections });
const headers = { "content-type": "application/json", "content-length": body.byteLength };

async function post(): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const outgoing = request(url, { method: "POST", agent, headers }, (response) => {
      response.resume();
      response.on("end", resolve);
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

let next = 0;
async function work(): Promise<void> {
  while (next < count) {
    next += 1;
    await post();
  }
}

const startedAt = performance.now();
const cpuBefore = process.cpuUsage();
await Promise.all(Array.from({ length: connections }, work));
const { user, system } = process.cpuUsage(cpuBefore);
const rate = (count / (performance.now() - startedAt)) * 1000;
process.stdout.write(`${String(rate)} ${String((user + system) / count)}\n`);
agent.destroy();
