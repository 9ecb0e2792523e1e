/** Floor of the SMTP benchmarks: replies with valid codes, detects the final dot, stores nothing. Argument: port. */
import { createServer } from "node:net";

const end = Buffer.from("\r\n.\r\n");

const server = createServer((socket) => {
  socket.setNoDelay(true);
  let isInData = false;
  let tail = Buffer.alloc(0);
  socket.write("220 bare\r\n");
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk: Buffer) => {
    const seen = Buffer.concat([tail, chunk]);
    if (isInData) {
      if (seen.includes(end)) {
        isInData = false;
        tail = Buffer.alloc(0);
        socket.write("250 2.0.0 dropped\r\n");
      } else tail = seen.subarray(-4);
      return;
    }
    tail = Buffer.alloc(0);
    const verb = chunk.subarray(0, 4).toString("latin1");
    if (verb === "DATA") {
      isInData = true;
      socket.write("354 go on\r\n");
    } else if (verb === "QUIT") socket.end("221 bye\r\n");
    else socket.write("250 ok\r\n");
  });
});
server.listen(Number(process.argv[2]), "127.0.0.1");
