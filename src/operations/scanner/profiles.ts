/** Behaviour of the link scanners that people meet. docs/guide/link-scanners.md names the source of each fact. */
import type { ScannerBehaviour, ScannerProfile, ScannerSettings } from "../../core/scanner.ts";

/** No profile renders: it is not documented which gateways run scripts, and for which links. */
const renders = false;
const chrome =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36";

/** Behaviour of each profile. */
export const profileBehaviours: Readonly<Record<ScannerProfile, ScannerBehaviour>> = {
  // Maintainers of sign-in libraries have observed HEAD, then GET, with the user agent of Chrome, before delivery.
  safelinks: { targets: "links", methods: ["HEAD", "GET"], userAgent: chrome, renders, when: "before", delayMs: 0 },
  // Barracuda documents that links are opened to verify them, and nothing about methods and user agents.
  barracuda: { targets: "links", methods: ["GET"], userAgent: chrome, renders, when: "before", delayMs: 0 },
  // Senders have observed this user agent. Gmail fetches images when a mail is opened.
  "gmail-image-proxy": {
    targets: "images",
    methods: ["GET"],
    userAgent: "Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)",
    renders,
    when: "after",
    delayMs: 0,
  },
  custom: {
    targets: "links",
    methods: ["GET"],
    userAgent: "restante link scanner",
    renders,
    when: "after",
    delayMs: 0,
  },
};

/** Returns the behaviour of a scanner: that of its profile, with the members that its settings replace. */
export function behaviourOf({ profile, ...replaced }: ScannerSettings): ScannerBehaviour {
  return { ...profileBehaviours[profile], ...replaced };
}
