/** The comment above a copied test that says how to start it, so that key and library find the service. */

/** Line for Playwright: on Node the official library speaks HTTPS to port 443 and nothing else, unless it is redirected. */
export function playwrightCommand(url: string): string {
  const command = "npx playwright test";
  if (isThisMachine(url)) return `// Start: eval "$(npx restante env --redirect)" && ${command}`;
  const { protocol, port } = new URL(url);
  if (protocol === "https:" && port === "") return `// Start: RESTANTE_API_KEY=KEY ${command}`;
  return `// Start: RESTANTE_API_KEY=KEY RESTANTE_REDIRECT_URL=${url} NODE_OPTIONS=--import=restante/redirect ${command}`;
}

/** Line for Cypress, which reads the plug-in's settings from variables of its own. */
export function cypressCommand(url: string): string {
  const variables = `CYPRESS_MAILOSAUR_API_KEY=$RESTANTE_API_KEY CYPRESS_MAILOSAUR_BASE_URL=${url}/`;
  return `// Start: ${keyFirst(url)}${variables} npx cypress run`;
}

/** Line for pytest. */
export function pytestCommand(url: string): string {
  return isThisMachine(url) ? '# Start: eval "$(npx restante env)" && pytest' : "# Start: RESTANTE_API_KEY=KEY pytest";
}

function keyFirst(url: string): string {
  return isThisMachine(url) ? 'eval "$(npx restante env)" && ' : "RESTANTE_API_KEY=KEY; ";
}

/** Whether `restante env` can find the service where the tests run. */
function isThisMachine(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
}
