/** Programs that send one request from the runtime of a language, for `restante check --language`. */

/** Language whose programs can be checked. */
export interface Language {
  /** Name as its users write it. */
  readonly label: string;
  /** Files of the program, by name. */
  readonly files: Readonly<Record<string, string>>;
  /** Commands that run the program, the first of which is installed; {@link urlPlace} is replaced by the URL. */
  readonly commands: readonly (readonly string[])[];
  /** Sentences about libraries of the language that ignore what the program shows. */
  readonly notes: readonly string[];
}

/** Place of the URL in {@link Language.commands}. */
export const urlPlace = "URL";

const fetchProgram = `const response = await fetch(process.argv.at(-1));
console.log(response.status);
process.exit();
`;

const java = `import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

public final class Probe {
  public static void main(String[] arguments) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(URI.create(arguments[0])).build();
    System.out.println(HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.discarding()).statusCode());
    System.exit(0);
  }
}
`;

const php = `<?php
if (!function_exists('curl_init')) {
    fwrite(STDERR, "PHP has no ext-curl\\n");
    exit(1);
}
$curl = curl_init($argv[1]);
curl_setopt($curl, CURLOPT_RETURNTRANSFER, true);
if (curl_exec($curl) === false) {
    fwrite(STDERR, curl_error($curl) . "\\n");
    exit(1);
}
echo curl_getinfo($curl, CURLINFO_RESPONSE_CODE), "\\n";
`;

const go = `package main

import (
	"fmt"
	"net/http"
	"os"
)

func main() {
	response, err := http.Get(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(response.StatusCode)
}
`;

const rust = `fn main() {
    let url = std::env::args().nth(1).unwrap();
    match reqwest::blocking::get(url) {
        Ok(response) => println!("{}", response.status().as_u16()),
        Err(error) => {
            eprintln!("{error:?}");
            std::process::exit(1)
        }
    }
}
`;
const cargo = `[package]
name = "probe"
version = "0.0.0"
edition = "2021"

[dependencies]
reqwest = { version = "0.13", features = ["blocking"] }
`;

const dotnet = `using System;
using System.Net.Http;

using var client = new HttpClient();
using var response = await client.GetAsync(args[0]);
Console.WriteLine((int)response.StatusCode);
`;

/** Languages by their name in \`--language\`, in the order of the documentation. */
export const languages: Readonly<Record<string, Language>> = {
  node: {
    label: "Node",
    files: { "probe.mjs": fetchProgram },
    commands: [["node", "probe.mjs", urlPlace]],
    notes: [
      "Node before 22.21 and 24.5 ignores HTTPS_PROXY, and so do libraries with an agent of their own: use restante env --redirect --providers.",
    ],
  },
  python: {
    label: "Python",
    files: {
      "probe.py": `import sys
import urllib.request

print(urllib.request.urlopen(sys.argv[1]).status)
`,
    },
    commands: [
      ["python3", "probe.py", urlPlace],
      ["python", "probe.py", urlPlace],
    ],
    notes: ["aiohttp ignores HTTPS_PROXY, unless the session is created with trust_env=True."],
  },
  java: {
    label: "Java",
    files: { "Probe.java": java },
    commands: [["java", "Probe.java", urlPlace]],
    notes: [
      "Apache HttpClient 4 ignores the settings of the JVM by default: libraries with it need a change in the code.",
    ],
  },
  php: {
    label: "PHP",
    files: { "probe.php": php },
    commands: [["php", "probe.php", urlPlace]],
    notes: ["Streams of PHP, such as file_get_contents, ignore HTTPS_PROXY: libraries must use ext-curl."],
  },
  ruby: {
    label: "Ruby",
    files: {
      "probe.rb": `require "net/http"

puts Net::HTTP.get_response(URI(ARGV[0])).code
`,
    },
    commands: [["ruby", "probe.rb", urlPlace]],
    notes: ["Libraries without Net::HTTP, such as curb and http.rb, need a proxy in the code."],
  },
  go: {
    label: "Go",
    files: { "probe.go": go },
    commands: [["go", "run", "probe.go", urlPlace]],
    notes: ["A http.Transport without Proxy: http.ProxyFromEnvironment ignores HTTPS_PROXY."],
  },
  dotnet: {
    label: ".NET",
    files: { "probe.cs": dotnet },
    commands: [["dotnet", "run", "probe.cs", urlPlace]],
    notes: ["The SDK must be that of .NET 10 or later. A handler with UseProxy = false ignores HTTPS_PROXY."],
  },
  rust: {
    label: "Rust",
    files: { "Cargo.toml": cargo, "src/main.rs": rust },
    commands: [["cargo", "run", "--quiet", "--", urlPlace]],
    notes: [
      "The program uses reqwest. Crates that are built with webpki-roots reject the certificate of the local CA.",
    ],
  },
  deno: {
    label: "Deno",
    files: {
      "probe.mjs": fetchProgram.replaceAll("process.argv.at(-1)", "Deno.args[0]").replace("process.exit", "Deno.exit"),
    },
    commands: [["deno", "run", "--allow-net", "probe.mjs", urlPlace]],
    notes: [],
  },
  bun: {
    label: "Bun",
    files: { "probe.mjs": fetchProgram },
    commands: [["bun", "probe.mjs", urlPlace]],
    notes: [
      "Bun rejects certificates of a CA that is constrained to addresses, as the local CA is: set the base URL of the library to http://127.0.0.1:8025/providers/<name>.",
    ],
  },
};
