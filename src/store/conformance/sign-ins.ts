import { randomBytes } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import type { SignIn } from "../key-store.ts";
import { aKey, epochMs } from "./drafts.ts";
import { expectProblem, makeServer, useStore, type OpenStore } from "./setup.ts";

const countMax = 5;

function aSignIn(fields: Partial<SignIn> = {}): SignIn {
  const openedAt = fields.openedAt ?? epochMs;
  const name = randomBytes(32).toString("base64url");
  return { name, kind: "session", keyHash: aKey().hash, user: null, openedAt, usedAt: openedAt, ...fields };
}

/** Browser sessions: found by name, limited in number, removed with their key. */
export function describeSignIns(open: OpenStore): void {
  const store = useStore(open);
  const add = async (fields: Partial<SignIn> = {}): Promise<SignIn> => {
    const signIn = aSignIn(fields);
    await store().signIns.addSignIn(signIn, 1000);
    return signIn;
  };

  test("finds a sign-in by its name, used when it was opened", async () => {
    for (const kind of ["token", "session"] as const) {
      const signIn = await add({ kind, openedAt: epochMs + 7 });
      expect(await store().signIns.findSignIn(signIn.name)).toEqual(signIn);
    }
    expect(await store().signIns.findSignIn(aSignIn().name)).toBeUndefined();
  });

  test("rejects a taken name and keeps the first sign-in", async () => {
    const first = await add();
    await expectProblem(store().signIns.addSignIn({ ...aSignIn(), name: first.name }, 1), "conflict");
    expect(await store().signIns.findSignIn(first.name)).toEqual(first);
  });

  test("moves the last use forward, never back, and creates nothing", async () => {
    const { signIns } = store();
    const signIn = await add();
    await signIns.useSignIn(signIn.name, epochMs + 5);
    await signIns.useSignIn(signIn.name, epochMs + 3);
    expect(await signIns.findSignIn(signIn.name)).toEqual({ ...signIn, usedAt: epochMs + 5 });
    const other = aSignIn();
    await signIns.useSignIn(other.name, epochMs + 5);
    expect(await signIns.findSignIn(other.name)).toBeUndefined();
  });

  test("gives a token to one of several concurrent callers, and never a session", async () => {
    const { signIns } = store();
    const token = await add({ kind: "token" });
    const taken = await Promise.all(Array.from({ length: 8 }, () => signIns.takeToken(token.name)));
    expect(taken.filter((one) => one !== undefined)).toEqual([token]);
    expect(await signIns.findSignIn(token.name)).toBeUndefined();
    const session = await add();
    expect(await signIns.takeToken(session.name)).toBeUndefined();
    expect(await signIns.findSignIn(session.name)).toEqual(session);
  });

  test("does not find a removed sign-in, and returns false when it is removed again", async () => {
    const { signIns } = store();
    const { name } = await add();
    expect(await signIns.removeSignIn(name)).toBe(true);
    expect(await signIns.findSignIn(name)).toBeUndefined();
    expect(await signIns.removeSignIn(name)).toBe(false);
  });

  test("removes sign-ins with their key and with the server of their key", async () => {
    const server = await makeServer(store());
    const [account, restricted, staying] = [aKey(), aKey({ server }), aKey()];
    for (const key of [account, restricted, staying]) await store().addKey(key);
    const signed = [account, account, restricted, staying].map(async ({ hash }) => add({ keyHash: hash }));
    const names = (await Promise.all(signed)).map(({ name }) => name);
    const present = async (): Promise<readonly boolean[]> =>
      Promise.all(names.map(async (name) => (await store().signIns.findSignIn(name)) !== undefined));
    expect(await present()).toEqual([true, true, true, true]);
    await store().removeKey(account.id);
    expect(await present()).toEqual([false, false, true, true]);
    await store().deleteServer(server);
    expect(await present()).toEqual([false, false, false, true]);
  });

  test("removes the oldest sign-ins of a kind above the limit, never the new one", async () => {
    const { store: own, dispose } = await open();
    onTestFinished(dispose);
    const token = aSignIn({ kind: "token", openedAt: 0 });
    await own.signIns.addSignIn(token, countMax);
    const sessions = Array.from({ length: countMax + 1 }, (_, at) => aSignIn({ openedAt: epochMs + at }));
    const present = async (): Promise<readonly number[]> => {
      const found = await Promise.all(sessions.map(async ({ name }) => own.signIns.findSignIn(name)));
      return found.flatMap((one, at) => (one === undefined ? [] : [at]));
    };
    for (const session of sessions.slice(0, countMax)) await own.signIns.addSignIn(session, countMax);
    expect(await present()).toEqual([0, 1, 2, 3, 4]);
    await own.signIns.addSignIn(sessions[countMax] ?? token, countMax);
    expect(await present()).toEqual([1, 2, 3, 4, 5]);
    // As a node whose clock is behind would.
    const late = aSignIn({ openedAt: epochMs - 1 });
    await own.signIns.addSignIn(late, 2);
    expect(await present()).toEqual([5]);
    expect(await own.signIns.findSignIn(late.name)).toEqual(late);
    expect(await own.signIns.findSignIn(token.name)).toEqual(token);
  });

  test("deletes the oldest sign-ins of a key or user above a number of its own, and none of others", async () => {
    const { keyHash } = await add();
    const user = "a-user";
    const others = [await add(), await add({ keyHash: null, user: "other" })];
    const addThree = async (fields: Partial<SignIn>): Promise<readonly SignIn[]> => {
      const own = [0, 1, 2].map((at) => aSignIn({ ...fields, openedAt: epochMs + at }));
      for (const one of own) await store().signIns.addSignIn(one, 1000, 2);
      return own;
    };
    for (const [first, ...kept] of [await addThree({ keyHash }), await addThree({ keyHash: null, user })]) {
      expect(await store().signIns.findSignIn(first?.name ?? "")).toBeUndefined();
      for (const one of [...kept, ...others]) expect(await store().signIns.findSignIn(one.name)).toEqual(one);
    }
  });

  test("deletes sign-ins opened or last used before an instant", async () => {
    const { store: own, dispose } = await open();
    onTestFinished(dispose);
    const [old, idle, good] = [0, 10, 10].map((at) => aSignIn({ openedAt: epochMs + at }));
    for (const one of [old, idle, good]) await own.signIns.addSignIn(one ?? aSignIn(), countMax);
    for (const one of [old, good]) await own.signIns.useSignIn(one?.name ?? "", epochMs + 20);
    const before = { openedBefore: epochMs, usedBefore: epochMs + 10 };
    expect(await own.signIns.forgetSignIns(before)).toBe(0);
    expect(await own.signIns.forgetSignIns({ ...before, openedBefore: epochMs + 1 })).toBe(1);
    expect(await own.signIns.findSignIn(old?.name ?? "")).toBeUndefined();
    expect(await own.signIns.forgetSignIns({ ...before, usedBefore: epochMs + 11 })).toBe(1);
    expect(await own.signIns.findSignIn(idle?.name ?? "")).toBeUndefined();
    expect(await own.signIns.findSignIn(good?.name ?? "")).toMatchObject({ usedAt: epochMs + 20 });
  });

  test("keeps sign-ins after a restart", async () => {
    const opened = await open();
    onTestFinished(opened.dispose);
    const signIn = aSignIn();
    await opened.store.signIns.addSignIn(signIn, countMax);
    const again = await opened.reopen();
    expect(await again.signIns.findSignIn(signIn.name)).toEqual(signIn);
  });

  test("keeps the session at an issuer, refreshes it for one caller, and ends it by its id or its user", async () => {
    const { signIns } = store();
    const atIssuer = { issuer: "corp", sid: "s1", tokens: "sealed", refreshAt: epochMs + 10 };
    const first = aSignIn({ keyHash: null, user: "ann" });
    await signIns.addSignIn({ ...first, atIssuer }, 1000);
    const second = aSignIn({ keyHash: null, user: "ann", openedAt: epochMs + 5 });
    await signIns.addSignIn({ ...second, atIssuer: { ...atIssuer, sid: null, tokens: null, refreshAt: null } }, 1000);
    const ofKey = await add();
    const found = { name: first.name, user: "ann", issuer: "corp", sid: "s1", tokens: "sealed" };
    expect(await signIns.findIssuerSession(first.name)).toEqual(found);
    expect(await signIns.findIssuerSession(ofKey.name)).toBeUndefined();
    expect(await signIns.findSignIn(first.name)).toEqual(first);

    const due = { now: epochMs + 10, next: epochMs + 20, countMax: 5 };
    expect(await signIns.takeRefreshes({ ...due, now: epochMs + 9 })).toEqual([]);
    const taken = await Promise.all([signIns.takeRefreshes(due), signIns.takeRefreshes(due)]);
    expect(taken.flat()).toEqual([found]);
    await signIns.storeTokens(first.name, "newer");
    await signIns.storeTokens(ofKey.name, "newer");
    expect(await signIns.findIssuerSession(first.name)).toEqual({ ...found, tokens: "newer" });

    expect(await signIns.removeIssuerSessions({ issuer: "other", sid: "s1" })).toBe(0);
    expect(await signIns.removeIssuerSessions({ issuer: "corp", sid: "s1" })).toBe(1);
    expect(await signIns.removeIssuerSessions({ issuer: "corp", user: "ann", openedBefore: epochMs + 5 })).toBe(0);
    expect(await signIns.removeIssuerSessions({ issuer: "corp", user: "bob", openedBefore: epochMs + 6 })).toBe(0);
    expect(await signIns.removeIssuerSessions({ issuer: "corp", user: "ann", openedBefore: epochMs + 6 })).toBe(1);
    expect(await signIns.findSignIn(ofKey.name)).toEqual(ofKey);
  });
}
