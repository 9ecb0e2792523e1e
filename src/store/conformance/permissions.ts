import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { newServerId } from "../../core/ids.ts";
import type { OwnedNumber } from "../../core/phone-number.ts";
import type { VerifiedAddress } from "../../core/verified-address.ts";
import type { NewOutboxEntry } from "../outbox-store.ts";
import { type PhoneNumberChange, verificationEntryId } from "../permission-stores.ts";
import { epochMs, unkeyed } from "./drafts.ts";
import { expectProblem, makeServer, useStore, type OpenStore } from "./setup.ts";

let made = 0;

function anAddress(fields: Partial<VerifiedAddress> = {}): VerifiedAddress {
  made += 1;
  const address = `someone${made}@X.example`;
  return { id: randomUUID(), address, status: "Pending", tokenHash: "ab", createdAt: epochMs, ...fields };
}

function aNumber(fields: Pick<OwnedNumber, "number" | "server"> & Partial<OwnedNumber>): OwnedNumber {
  return {
    id: randomUUID(),
    provider: "twilio",
    sealedSecrets: null,
    webhook: null,
    createdAt: epochMs,
    ...fields,
  };
}

function questionOf({ id, address, createdAt: at }: VerifiedAddress): NewOutboxEntry {
  return {
    id: verificationEntryId(id),
    message: null,
    route: "relay",
    mailFrom: "verify@own.test",
    rcptTo: [address],
    content: Buffer.from("May tests write to you?"),
    status: "Queued",
    lastError: null,
    at,
  };
}

/** Verified addresses, phone numbers and approved phrases. */
export function describePermissions(open: OpenStore): void {
  const store = useStore(open);

  test("finds an address in any letter case, as it was added", async () => {
    const address = anAddress({ address: "Alice@Corp.example" });
    await store().verifiedAddresses.addVerifiedAddress(address);
    expect(await store().verifiedAddresses.findVerifiedAddress("aLICE@corp.example")).toEqual(address);
    expect(await store().verifiedAddresses.getVerifiedAddress(address.id)).toEqual(address);
    expect(await store().verifiedAddresses.findVerifiedAddress("alice@corp.example.org")).toBeUndefined();
  });

  test("rejects an address or id that exists", async () => {
    const address = anAddress();
    const { verifiedAddresses } = store();
    await verifiedAddresses.addVerifiedAddress(address);
    const again = anAddress({ address: address.address.toUpperCase() });
    await expectProblem(verifiedAddresses.addVerifiedAddress(again), "conflict");
    await expectProblem(verifiedAddresses.addVerifiedAddress(anAddress({ id: address.id })), "conflict");
  });

  test("deletes the token when an address is verified, and returns undefined for unknown ones", async () => {
    const address = anAddress();
    const { verifiedAddresses } = store();
    await verifiedAddresses.addVerifiedAddress(address);
    const verified = { ...address, status: "Verified", tokenHash: null };
    expect(await verifiedAddresses.verifyAddress(address.id)).toEqual(verified);
    expect(await verifiedAddresses.findVerifiedAddress(address.address)).toEqual(verified);
    expect(await verifiedAddresses.verifyAddress(randomUUID())).toBeUndefined();
  });

  test("lists addresses in order, without removed ones", async () => {
    const { verifiedAddresses } = store();
    const own = ["zz1@list.example", "AA1@list.example", "mm1@list.example"].map((address) => anAddress({ address }));
    for (const one of own) await verifiedAddresses.addVerifiedAddress(one);
    const listed = async (): Promise<readonly string[]> =>
      (await verifiedAddresses.listVerifiedAddresses())
        .map(({ address }) => address)
        .filter((address) => address.endsWith("@list.example"));
    expect(await listed()).toEqual(["AA1@list.example", "mm1@list.example", "zz1@list.example"]);
    expect(await verifiedAddresses.removeVerifiedAddress(own[0]?.id ?? "")).toBe(true);
    expect(await verifiedAddresses.removeVerifiedAddress(own[0]?.id ?? "")).toBe(false);
    expect(await listed()).toHaveLength(2);
  });

  test("accepts one verification mail an hour for an address, also when it was removed and added again", async () => {
    const { verifiedAddresses } = store();
    const first = anAddress();
    const ask = async (address: VerifiedAddress): Promise<void> =>
      verifiedAddresses.addVerifiedAddress(address, { entries: [questionOf(address)] });
    await ask(first);
    const again = { ...first, id: randomUUID(), address: first.address.toUpperCase() };
    await expectProblem(ask(again), "conflict");
    await verifiedAddresses.removeVerifiedAddress(first.id);
    await expect(ask({ ...again, createdAt: epochMs + 1_800_000 })).rejects.toMatchObject({
      code: "too_many_requests",
      retryAfterSeconds: 1800,
    });
    expect(await verifiedAddresses.findVerifiedAddress(first.address)).toBeUndefined();
    await ask({ ...anAddress(), createdAt: epochMs + 1_800_000 });
    await ask({ ...again, createdAt: epochMs + 3_600_000 });
    expect(await verifiedAddresses.getVerifiedAddress(again.id)).toMatchObject({ status: "Pending" });
  });

  test.each(["removeVerifiedAddress", "verifyAddress"] as const)(
    "%s withdraws the mail that asks the owner, also while it is claimed",
    async (withdraw) => {
      const { verifiedAddresses, outbox } = store();
      const claim = { now: epochMs + 1, leaseEndsAt: epochMs + 2, lease: "withdrawn", keys: unkeyed(1000) };
      for (const isClaimed of [false, true]) {
        const address = anAddress();
        const question = questionOf(address);
        await verifiedAddresses.addVerifiedAddress(address, { entries: [question] });
        if (isClaimed) expect((await outbox.queue.claim(claim)).map(({ id }) => id)).toContain(question.id);
        await verifiedAddresses[withdraw](address.id);
        const later = { ...claim, now: epochMs + 3, leaseEndsAt: epochMs + 4 };
        expect((await outbox.queue.claim(later)).map(({ id }) => id)).not.toContain(question.id);
      }
    },
  );

  test("deletes a number with its server", async () => {
    const { phoneNumbers } = store();
    const server = await makeServer(store());
    const settings = { provider: "vonage", webhook: "http://app.test/sms" } as const;
    const sealedSecrets = new Uint8Array([0, 1, 255]);
    const one: OwnedNumber = {
      id: randomUUID(),
      number: "+15550100",
      server,
      ...settings,
      sealedSecrets,
      createdAt: epochMs,
    };
    await phoneNumbers.addPhoneNumber(one);
    expect(await phoneNumbers.findPhoneNumber("+15550100")).toEqual(one);
    await expectProblem(phoneNumbers.addPhoneNumber({ ...one, id: randomUUID() }), "conflict");
    await expectProblem(phoneNumbers.addPhoneNumber({ ...one, number: "+15550101" }), "conflict");
    const lost = { ...one, id: randomUUID(), number: "+15550102", server: newServerId() };
    await expectProblem(phoneNumbers.addPhoneNumber(lost), "not_found");
    await store().deleteServer(server);
    expect(await phoneNumbers.findPhoneNumber("+15550100")).toBeUndefined();
  });

  test("updatePhoneNumber changes the given members and keeps the others", async () => {
    const { phoneNumbers } = store();
    const [first, second] = [await makeServer(store()), await makeServer(store())];
    const one = aNumber({ number: "+15550400", server: first, webhook: "http://app.test/sms" });
    await phoneNumbers.addPhoneNumber(one);
    const changes: readonly PhoneNumberChange[] = [
      { sealedSecrets: new Uint8Array([1, 0, 255]) },
      { provider: "vonage", webhook: null },
      { server: second, webhook: "http://app.test/other" },
      { sealedSecrets: null },
      {},
    ];
    let expected = one;
    for (const change of changes) {
      expected = { ...expected, ...change };
      expect(await phoneNumbers.updatePhoneNumber(one.id, change)).toEqual(expected);
      expect(await phoneNumbers.findPhoneNumber(one.number)).toEqual(expected);
    }
    await store().deleteServer(first);
    expect(await phoneNumbers.findPhoneNumber(one.number)).toEqual(expected);
    await store().deleteServer(second);
    expect(await phoneNumbers.findPhoneNumber(one.number)).toBeUndefined();
  });

  test("updatePhoneNumber rejects an unknown server and returns undefined for an unknown number", async () => {
    const { phoneNumbers } = store();
    const one = aNumber({ number: "+15550401", server: await makeServer(store()) });
    await phoneNumbers.addPhoneNumber(one);
    await expectProblem(phoneNumbers.updatePhoneNumber(one.id, { server: newServerId(), webhook: "x" }), "not_found");
    expect(await phoneNumbers.findPhoneNumber(one.number)).toEqual(one);
    expect(await phoneNumbers.updatePhoneNumber(randomUUID(), { webhook: null })).toBeUndefined();
    expect(await phoneNumbers.removePhoneNumber(one.id)).toBe(true);
  });

  test("lists numbers in order, without removed ones", async () => {
    const { phoneNumbers } = store();
    const server = await makeServer(store());
    const numbers = ["+15550202", "+15550201"].map((number): OwnedNumber => {
      return aNumber({ number, server });
    });
    for (const one of numbers) await phoneNumbers.addPhoneNumber(one);
    expect(await phoneNumbers.listPhoneNumbers()).toEqual(numbers.toReversed());
    for (const { id } of numbers) expect(await phoneNumbers.removePhoneNumber(id)).toBe(true);
    expect(await phoneNumbers.removePhoneNumber(numbers[0]?.id ?? "")).toBe(false);
    expect(await phoneNumbers.listPhoneNumbers()).toEqual([]);
  });

  test("returns the phrases set last, in order, and null before the first time", async () => {
    const { phrases } = store();
    expect(await phrases.getPhrases()).toBeNull();
    await phrases.setPhrases(["YES", "no ✓"]);
    expect(await phrases.getPhrases()).toEqual(["YES", "no ✓"]);
    await phrases.setPhrases([]);
    expect(await phrases.getPhrases()).toEqual([]);
  });
}
