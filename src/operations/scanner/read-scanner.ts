import { scannerDelayMsMax } from "../../core/limits.ts";
import {
  scannerMethods,
  scannerMoments,
  scannerProfiles,
  scannerTargets,
  type ScannerBehaviour,
  type ScannerMethod,
  type ScannerSettings,
} from "../../core/scanner.ts";
import { MemberReader } from "../faults/member-reader.ts";
import { behaviourOf } from "./profiles.ts";

const userAgentLengthMax = 500;

/** Returns the scanner of a request body. Throws a 400 that names every wrong and unknown member. */
export function readScanner(body: unknown): ScannerSettings {
  const reader = new MemberReader(body);
  const settings = reader.object<ScannerSettings>(
    {
      profile: (member) => member.oneOf(scannerProfiles),
      targets: (member) => member.oneOf(scannerTargets),
      methods: readMethods,
      userAgent: readUserAgent,
      renders: (member) => member.boolean(),
      when: (member) => member.oneOf(scannerMoments),
      delayMs: (member) => member.whole(0, scannerDelayMsMax),
    },
    ["profile"],
  );
  if (settings?.renders === true) requireLinks(reader, behaviourOf(settings));
  reader.finish();
  if (settings === undefined) throw new Error("a body without settings has field errors");
  return settings;
}

/** Requires that a scanner that renders opens links with GET, because nothing else is rendered. */
function requireLinks(reader: MemberReader, { targets, methods }: ScannerBehaviour): void {
  if (targets === "links" && methods.includes("GET")) return;
  reader.member("renders").fail("Requires the targets links and the method GET");
}

function readMethods(reader: MemberReader): readonly ScannerMethod[] | undefined {
  const methods = reader.items(scannerMethods.length, (item) => item.oneOf(scannerMethods));
  if (methods === undefined) return undefined;
  if (methods.length === 0) return reader.fail("Must name a method", "required");
  return new Set(methods).size === methods.length ? methods : reader.fail("Must name each method once");
}

/** Reads a field value of visible ASCII characters and spaces, so that it cannot add a header field. */
function readUserAgent(reader: MemberReader): string | undefined {
  const text = reader.text(userAgentLengthMax);
  if (text === undefined) return undefined;
  return /^[!-~](?:[ -~]*[!-~])?$/.test(text) ? text : reader.fail("Must be printable ASCII without outer spaces");
}
