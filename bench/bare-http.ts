/** Floor of the HTTP benchmarks: bare node:http that always sends the same bytes. Arguments: port, file of the bytes. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const body = readFileSync(process.argv[3] ?? "");
const head = { "content-type": "application/json; charset=utf-8", "content-length": body.length };

createServer((_request, response) => {
  response.writeHead(200, head).end(body);
}).listen(Number(process.argv[2]), "127.0.0.1");
