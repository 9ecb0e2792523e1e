/** The application under test: a form that sends a mail with a code and a link, by SMTP. */
import { createServer, type Server } from "node:http";
import { once } from "node:events";
import { createTransport } from "nodemailer";

const page = (body: string): string => `<!doctype html><title>Shop</title><main>${body}</main>`;

/** Starts the application on a free port; mail leaves through `smtp`. */
export async function startApp(smtp: { host: string; port: number }): Promise<{ url: string; server: Server }> {
  const mailer = createTransport(smtp);
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    const email = url.searchParams.get("email");
    let body = '<form action="/sign-up"><label>Email <input name="email"></label><button>Sign up</button></form>';
    if (url.pathname === "/sign-up" && email !== null) {
      await mailer.sendMail({
        from: "Shop <shop@example.com>",
        to: email,
        subject: "Confirm your address",
        html: `<h1>Welcome</h1><p>Your code is <b>804219</b>.</p><a href="http://${request.headers.host}/confirm">Confirm</a>`,
      });
      body = "<p>We have sent you a mail</p>";
    }
    if (url.pathname === "/confirm") body = "<h1>Confirmed</h1>";
    response.setHeader("content-type", "text/html");
    response.end(page(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  server.on("close", () => mailer.close());
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`, server };
}
