/** Receiver of callbacks: responds 204, and never on paths below `/hang`. `GET /count` returns the number of requests. Argument: port. */
import { createServer } from "node:http";

let count = 0;

const server = createServer((request, response) => {
  if (request.method === "GET") {
    response.end(String(count));
    return;
  }
  if (request.url?.startsWith("/hang") === true) {
    request.resume();
    return;
  }
  request.resume();
  request.on("end", () => {
    count += 1;
    response.writeHead(204).end();
  });
});
server.listen(Number(process.argv[2]), "127.0.0.1");
