import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Action, type Call, configOf, exitCodes } from "../command.ts";
import { settingLines } from "./shell-syntax.ts";

/** Returns the absolute path of the local CA's certificate. Throws an `Error` for the operator when there is none. */
function caFileOf(call: Call): string {
  const { dataDir, tlsCert } = configOf(call);
  if (tlsCert !== null) throw new Error("There is no local CA, because RESTANTE_TLS_CERT is set");
  const file = join(dataDir, "tls", "ca.pem");
  if (existsSync(file)) return file;
  throw new Error(`There is no CA in ${dataDir}; start restante serve, which creates one, or set --data-dir`);
}

/** Runs `restante ca path`. */
export const caPath: Action = (call) => {
  call.terminal.out(`${caFileOf(call)}\n`);
  return Promise.resolve(exitCodes.done);
};

/** Runs `restante ca install-help`: prints instructions and changes nothing. */
export const caInstallHelp: Action = (call) => {
  const file = caFileOf(call);
  call.terminal.out(`The local CA is ${file}\n${places(file).join("")}`);
  return Promise.resolve(exitCodes.done);
};

/** Returns the instructions for each trust store. */
function places(file: string): readonly string[] {
  const path = /^[\w./-]+$/.test(file) ? file : `'${file.replaceAll("'", `'\\''`)}'`;
  const line = (name: string): string => settingLines("sh", [[name, file]]).trim();
  return [
    place("One shell (Node, Python, Ruby, Go, .NET, PHP, curl)", 'eval "$(restante env)"'),
    place("Node, Playwright, Cypress", line("NODE_EXTRA_CA_CERTS")),
    place(
      "Java",
      `keytool -importcert -noprompt -alias restante -file ${path} -keystore restante.jks -storepass changeit`,
      "java -Djavax.net.ssl.trustStore=restante.jks -Djavax.net.ssl.trustStorePassword=changeit …",
    ),
    place(
      "Debian, Ubuntu",
      `sudo cp ${path} /usr/local/share/ca-certificates/restante.crt`,
      "sudo update-ca-certificates",
    ),
    place("Fedora, Red Hat", `sudo cp ${path} /etc/pki/ca-trust/source/anchors/restante.pem`, "sudo update-ca-trust"),
    place(
      "macOS (also Safari, Chrome, Swift)",
      `security add-trusted-cert -r trustRoot -k ~/Library/Keychains/login.keychain-db ${path}`,
    ),
    place("Windows (also Edge, Chrome, .NET)", `certutil -user -addstore Root ${path}`),
    place("Chrome on Linux", `certutil -d sql:$HOME/.pki/nssdb -A -t C,, -n restante -i ${path}`),
    place("Firefox", "Settings, Privacy & Security, Certificates, View Certificates, Authorities, Import"),
  ];
}

function place(name: string, ...lines: readonly string[]): string {
  return `\n${name}:\n${lines.map((line) => `  ${line}\n`).join("")}`;
}
