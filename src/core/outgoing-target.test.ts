import { describe, expect, test } from "vitest";
import { createTargetPolicy, isNeverCalled, ownServiceText, type OwnService } from "./outgoing-target.ts";

const local = createTargetPolicy({ origins: [], allowsLoopback: true });
const exposed = createTargetPolicy({
  origins: ["https://hooks.corp.example", "http://app:3000"],
  allowsLoopback: false,
});

describe("isNeverCalled", () => {
  test.each([
    ["link-local", "169.254.169.254"],
    ["link-local", "169.254.0.1"],
    ["link-local", "fe80::1"],
    ["link-local", "febf::1"],
    ["site-local", "fec0::1"],
    ["AWS", "fd00:ec2::254"],
    ["Google", "fd20:ce::254"],
    ["Alibaba", "100.100.100.200"],
    ["Azure", "168.63.129.16"],
    ["Oracle", "192.0.0.192"],
    ["unspecified", "0.0.0.0"],
    ["unspecified", "::"],
    ["this network", "0.1.2.3"],
    ["multicast", "224.0.0.1"],
    ["multicast", "ff02::1"],
    ["broadcast", "255.255.255.255"],
    ["mapped", "::ffff:169.254.169.254"],
    ["mapped", "::ffff:a9fe:a9fe"],
    ["compatible", "::169.254.169.254"],
    ["compatible", "::127.0.0.1"],
    ["6to4", "2002:a9fe:a9fe::1"],
    ["6to4", "2002:7f00:1::"],
    ["NAT64", "64:ff9b::169.254.169.254"],
    ["NAT64", "64:ff9b::10.0.0.1"],
    ["NAT64", "64:ff9b::127.0.0.1"],
    ["NAT64, local use", "64:ff9b:1::a9fe:a9fe"],
    ["Teredo", "2001:0:4136:e378:8000:63bf:5601:5601"],
    ["ISATAP", "2001:db8::5efe:169.254.169.254"],
    ["ISATAP", "fd00::200:5efe:a9fe:a9fe"],
    ["no address", "169.254.169.254.example"],
    ["zone", "fe80::1%eth0"],
  ])("is true for %s: %s", (_name, address) => {
    expect(isNeverCalled(address)).toBe(true);
  });

  test.each([
    "127.0.0.1",
    "::1",
    "10.0.0.1",
    "192.168.1.1",
    "fd12::1",
    "1.1.1.1",
    "2606:4700::1111",
    "64:ff9b::8.8.8.8",
  ])("is false for %s", (address) => {
    expect(isNeverCalled(address)).toBe(false);
  });
});

describe("refuseUrl", () => {
  test.each([
    ["http://127.0.0.1:3000/hook", true, false],
    ["http://localhost:3000/hook", true, false],
    ["http://app.localhost/hook", true, false],
    ["http://[::1]:3000/", true, false],
    ["http://0x7f.1/", true, false],
    ["http://app:3000/hook?x=1", false, true],
    ["http://app:3001/hook", false, false],
    ["https://app:3000/hook", false, false],
    ["https://hooks.corp.example/x", false, true],
    ["https://hooks.corp.example.evil.example/x", false, false],
    ["https://user:secret@hooks.corp.example/x", false, false],
    ["http://10.0.0.5/", false, false],
    ["http://169.254.169.254/latest/meta-data/", false, false],
    ["http://[::ffff:169.254.169.254]/", false, false],
    ["http://2852039166/", false, false],
    ["https://api.twilio.com", false, false],
    ["ftp://127.0.0.1/", false, false],
    ["/hook", false, false],
  ])("%s: allowed on loopback %s, with a list %s", (url, isAllowedLocally, isAllowedExposed) => {
    expect([local.refuseUrl(url, null) === null, exposed.refuseUrl(url, null) === null]).toEqual([
      isAllowedLocally,
      isAllowedExposed,
    ]);
  });

  test("refuses a metadata address even if it is allowed", () => {
    const listed = createTargetPolicy({ origins: ["http://169.254.169.254"], allowsLoopback: true });
    expect(listed.refuseUrl("http://169.254.169.254/latest", null)).toContain("never");
  });

  test("allows the given origins and no others", () => {
    const ownOrigins = /^https:\/\/api\.provider\.example$/;
    expect(exposed.refuseUrl("https://api.provider.example/x", ownOrigins)).toBeNull();
    for (const other of ["http://api.provider.example", "https://api.provider.example:444", "https://b.example"]) {
      expect(exposed.refuseUrl(other, ownOrigins)).toContain("not allowed");
    }
  });
});

describe("the service itself", () => {
  const own: OwnService = {
    isOwnOrigin: (origin) => origin === "https://mail.corp.example",
    isOwnListener: (address, port) => address === "127.0.0.1" && port === 8025,
  };
  const policy = createTargetPolicy({
    own,
    origins: ["https://mail.corp.example", "http://app:8025"],
    allowsLoopback: true,
  });

  test.each([
    ["https://mail.corp.example/hook", true],
    ["http://localhost:8025/", true],
    ["http://127.0.0.1:8025/", true],
    ["http://127.0.0.1:8026/", false],
    ["http://app:8025/", false],
  ])("refuses the URL %s: %s", (url, isRefused) => {
    expect(policy.refuseUrl(url, null)).toBe(isRefused ? ownServiceText : null);
  });

  test("refuses an address that a listed name resolves to", () => {
    expect(policy.refuseAddress("http://app:8025/", "127.0.0.1")).toBe(ownServiceText);
    expect(policy.refuseAddress("http://app:8025/", "10.0.0.1")).toBeNull();
  });
});

describe("refuseAddress", () => {
  test.each([
    ["http://app:3000", "10.0.0.5", null],
    ["http://app:3000", "169.254.169.254", "never called"],
    ["http://app:3000", "127.0.0.1", "this machine"],
    ["http://app:3000", "fe80::1", "never called"],
    ["https://api.twilio.com", "10.0.0.5", "public Internet"],
    ["https://api.twilio.com", "54.1.2.3", null],
  ])("%s at %s is refused with %s", (url, address, expected) => {
    const refusal = exposed.refuseAddress(url, address);
    if (expected === null) expect(refusal).toBeNull();
    else expect(refusal).toContain(expected);
  });

  test("refuses a loopback name that resolves to another address", () => {
    expect(local.refuseAddress("http://app.localhost/", "10.0.0.5")).toContain("not this machine");
    expect(local.refuseAddress("http://app.localhost/", "127.0.0.1")).toBeNull();
  });
});
