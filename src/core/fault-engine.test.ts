import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decideFault, type FaultCandidate } from "./fault-engine.ts";
import {
  actionOf,
  faultActions,
  isFaultEnded,
  newFaultState,
  type FaultDecision,
  type FaultOccurrence,
  type FaultOutcome,
  type FaultRule,
  type FaultTrigger,
} from "./fault.ts";
import type { ServerId } from "./ids.ts";

const one = "aaaaaaaa" as ServerId;
const other = "bbbbbbbb" as ServerId;

function anOccurrence(fields: Partial<FaultOccurrence> = {}): FaultOccurrence {
  return {
    stage: "rcpt",
    clientAddress: "192.0.2.1",
    server: null,
    sender: "s@app.example",
    recipients: [{ address: "r@x.example", server: one }],
    provider: null,
    userName: null,
    ...fields,
  };
}

const drop: FaultOutcome = { drop: true };

function aRule(fields: Partial<FaultRule> = {}): FaultRule {
  return { name: "rule", match: { stage: "rcpt" }, then: drop, ...fields };
}

function aCandidate(rule: FaultRule, server: ServerId | null = one): FaultCandidate {
  return { server, rule, state: newFaultState(0), firstTriedAt: null };
}

/** Rules whose states are carried on from one occurrence to the next. */
class Replay {
  candidates: readonly FaultCandidate[];

  constructor(candidates: readonly FaultCandidate[]) {
    this.candidates = candidates;
  }

  decide(occurrence = anOccurrence(), now = 0): FaultDecision | null {
    const { decision, changes } = decideFault(this.candidates, occurrence, now);
    this.candidates = this.candidates.map((candidate) => {
      const change = changes.find((one) => one.candidate === candidate);
      if (change === undefined) return candidate;
      return { ...candidate, state: change.state, firstTriedAt: change.isFirstTry ? now : candidate.firstTriedAt };
    });
    return decision;
  }

  /** Returns the numbers, from 1, of the occurrences that a rule applied to. */
  hits(countMax: number): readonly number[] {
    return Array.from({ length: countMax }, (_, at) => (this.decide() === null ? 0 : at + 1)).filter((at) => at > 0);
  }
}

interface ComparedOccurrence {
  readonly occurrence: Partial<FaultOccurrence>;
  readonly match: FaultRule["match"];
  readonly matches: boolean;
}

const trigger: fc.Arbitrary<FaultTrigger | undefined> = fc.oneof(
  fc.constant(undefined),
  fc.record({ first: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ after: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ every: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ above: fc.record({ count: fc.integer({ min: 1, max: 5 }), perMs: fc.integer({ min: 1, max: 9 }) }) }),
  fc.record({ probability: fc.double({ min: 0, max: 1, noNaN: true }), seed: fc.integer() }),
);

const rules: fc.Arbitrary<readonly FaultRule[]> = fc
  .array(
    fc.record({
      when: trigger,
      until: fc.option(fc.record({ hits: fc.integer({ min: 1, max: 4 }) }), { nil: undefined }),
      sender: fc.option(fc.constantFrom("s@app.example", "*@app.example", "t@app.example"), { nil: undefined }),
    }),
    { maxLength: 5 },
  )
  .map((made) =>
    made.map(({ when, until, sender }, at) => ({
      name: `rule ${at}`,
      match: { stage: "rcpt", ...(sender !== undefined && { sender }) },
      then: drop,
      ...(when !== undefined && { when }),
      ...(until !== undefined && { until }),
    })),
  );

describe("decideFault", () => {
  test.each<readonly [FaultTrigger | undefined, readonly number[]]>([
    [undefined, [1, 2, 3, 4, 5, 6, 7]],
    [{ first: 3 }, [1, 2, 3]],
    [{ after: 5 }, [6, 7]],
    [{ every: 3 }, [3, 6]],
    [{ above: { count: 4, perMs: 1 } }, [5, 6, 7]],
    [{ probability: 0 }, []],
    [{ probability: 1 }, [1, 2, 3, 4, 5, 6, 7]],
  ])("triggers with %o at the occurrences %o of seven", (when, expected) => {
    expect(new Replay([aCandidate(aRule(when && { when }))]).hits(7)).toEqual(expected);
  });

  test("starts a new window of `above` with the first occurrence after the last one, also after a step back", () => {
    const replay = new Replay([aCandidate(aRule({ when: { above: { count: 1, perMs: 10 } } }))]);
    const at = (now: number): boolean => replay.decide(anOccurrence(), now) !== null;
    expect([at(5), at(14), at(15), at(24), at(3), at(12)]).toEqual([false, true, false, true, false, true]);
  });

  test("determines probability by seed, name and number alone, and near its share", () => {
    const hits = (seed: number, name: string): readonly number[] =>
      new Replay([aCandidate(aRule({ name, when: { probability: 0.3, seed } }))]).hits(1000);
    expect(hits(1, "a")).toEqual(hits(1, "a"));
    expect(hits(1, "a")).not.toEqual(hits(2, "a"));
    expect(hits(1, "a")).not.toEqual(hits(1, "b"));
    expect(Math.abs(hits(1, "a").length - 300)).toBeLessThan(60);
  });

  test("counts each occurrence at every rule that matches, and lets the first that triggers win", () => {
    fc.assert(
      fc.property(rules, fc.array(fc.constantFrom("s@app.example", "t@app.example")), (made, senders) => {
        const replay = new Replay(made.map((rule) => aCandidate(rule)));
        for (const [now, sender] of senders.entries()) {
          const before = replay.candidates;
          const decision = replay.decide(anOccurrence({ sender }), now);
          const moved = replay.candidates.map(({ state }, at) => ({
            rule: made[at]?.name,
            seen: state.seen - (before[at]?.state.seen ?? 0),
            hits: state.hits - (before[at]?.state.hits ?? 0),
            isEnded: isFaultEnded(made[at] ?? {}, before[at]?.state ?? state, now),
          }));
          const winners = moved.filter(({ hits }) => hits > 0);
          expect(winners.map(({ rule }) => rule)).toEqual(decision?.hits.map(({ rule }) => rule) ?? []);
          expect(winners.length).toBeLessThanOrEqual(1);
          for (const { seen, hits, isEnded } of moved) expect(isEnded ? [seen, hits] : [0, 0]).toEqual([0, 0]);
          const matching = made.map(
            ({ match }) => match.sender === undefined || match.sender === sender || match.sender === "*@app.example",
          );
          expect(moved.map(({ seen }) => seen)).toEqual(
            moved.map(({ isEnded }, at) => (matching[at] && !isEnded ? 1 : 0)),
          );
        }
        for (const { state, rule } of replay.candidates)
          expect(state.hits).toBeLessThanOrEqual(rule.until?.hits ?? state.seen);
      }),
    );
  });

  test("gives the same outcome whether other servers have rules and mail or not", () => {
    const toServer = (server: ServerId): FaultOccurrence =>
      anOccurrence({ recipients: [{ address: "r@x.example", server }] });
    fc.assert(
      fc.property(rules, rules, fc.array(fc.boolean()), (own, foreign, turns) => {
        const alone = new Replay(own.map((rule) => aCandidate(rule)));
        const beside = new Replay([
          ...own.map((rule) => aCandidate(rule)),
          ...foreign.map((rule) => aCandidate(rule, other)),
        ]);
        for (const isOwn of turns) {
          const decision = beside.decide(toServer(isOwn ? one : other));
          if (isOwn) expect(decision).toEqual(alone.decide(toServer(one)));
        }
        expect(beside.candidates.filter(({ server }) => server === one)).toEqual(alone.candidates);
      }),
    );
  });

  test.each<readonly [string, ComparedOccurrence]>([
    [
      "an address in any letter case",
      { occurrence: { sender: "S@App.example" }, match: { stage: "rcpt", sender: "s@app.example" }, matches: true },
    ],
    [
      "another address",
      { occurrence: { sender: "t@app.example" }, match: { stage: "rcpt", sender: "s@app.example" }, matches: false },
    ],
    ["a domain", { occurrence: {}, match: { stage: "rcpt", recipient: "*@x.example" }, matches: true }],
    ["another domain", { occurrence: {}, match: { stage: "rcpt", recipient: "*@example" }, matches: false }],
    ["one of several stages", { occurrence: {}, match: { stage: ["mail", "rcpt"] }, matches: true }],
    ["another stage", { occurrence: {}, match: { stage: "data" }, matches: false }],
    ["a network", { occurrence: {}, match: { stage: "rcpt", clientAddress: "192.0.2.0/24" }, matches: true }],
    ["another network", { occurrence: {}, match: { stage: "rcpt", clientAddress: "198.51.100.0/24" }, matches: false }],
    [
      "no address of a client",
      {
        occurrence: { clientAddress: "unknown" },
        match: { stage: "rcpt", clientAddress: "0.0.0.0/0" },
        matches: false,
      },
    ],
    [
      "a mapped address",
      {
        occurrence: { clientAddress: "::ffff:192.0.2.1" },
        match: { stage: "rcpt", clientAddress: "192.0.2.1" },
        matches: true,
      },
    ],
    ["a user name", { occurrence: { userName: "Jane" }, match: { stage: "rcpt", userName: "jane" }, matches: true }],
    ["no user name", { occurrence: {}, match: { stage: "rcpt", userName: "jane" }, matches: false }],
    [
      "a provider",
      {
        occurrence: { stage: "request", provider: "ses" },
        match: { stage: "request", provider: "ses" },
        matches: true,
      },
    ],
    [
      "another provider",
      {
        occurrence: { stage: "request", provider: "sns" },
        match: { stage: "request", provider: "ses" },
        matches: false,
      },
    ],
    [
      "no sender yet",
      {
        occurrence: { stage: "connect", sender: null },
        match: { stage: "connect", sender: "s@app.example" },
        matches: false,
      },
    ],
  ])("compares %s", (_, { occurrence, match, matches }) => {
    expect(new Replay([aCandidate(aRule({ match }))]).decide(anOccurrence(occurrence)) !== null).toBe(matches);
  });

  test("applies a rule before RCPT to other sessions only by one client address, never by a network", () => {
    const decides = (clientAddress: string | undefined, server: ServerId | null): boolean => {
      const match = { stage: "mail", ...(clientAddress !== undefined && { clientAddress }) } as const;
      const occurrence = anOccurrence({ stage: "mail", recipients: [], server });
      return new Replay([aCandidate(aRule({ match }))]).decide(occurrence) !== null;
    };
    expect([decides(undefined, null), decides(undefined, other), decides("192.0.2.0/24", null)]).toEqual([
      false,
      false,
      false,
    ]);
    expect([decides(undefined, one), decides("192.0.2.1", null), decides("192.0.2.0/24", one)]).toEqual([
      true,
      true,
      true,
    ]);
  });

  test("neither counts nor applies a paused rule, and lets the next one apply", () => {
    const paused = aRule({ paused: true });
    const replay = new Replay([aCandidate(paused), aCandidate(aRule({ name: "next" }))]);
    expect(replay.decide()?.hits).toMatchObject([{ rule: "next" }]);
    expect(replay.candidates.map(({ state }) => [state.seen, state.hits])).toEqual([
      [0, 0],
      [1, 1],
    ]);
    expect(new Replay([aCandidate({ ...paused, paused: false })]).decide()).not.toBeNull();
  });

  test("compares only the recipients of the rule's server, and skips mail for several servers", () => {
    const recipients = [
      { address: "mine@x.example", server: one },
      { address: "theirs@x.example", server: other },
    ];
    const occurrence = anOccurrence({ stage: "data", recipients });
    const replay = new Replay([
      aCandidate(aRule({ match: { stage: "data", recipient: "theirs@x.example" } })),
      aCandidate(aRule({ match: { stage: "data", recipient: "mine@x.example" } })),
      aCandidate(aRule({ match: { stage: "data" }, then: { deliverAfterMs: 7 } }), other),
      aCandidate(aRule({ name: "all", match: { stage: "data" }, then: { deliverAfterMs: 9, delayMs: 1 } }), null),
    ]);
    expect(replay.decide(occurrence)).toEqual({
      then: { deliverAfterMs: 9, delayMs: 1 },
      late: [
        { server: other, deliverAfterMs: 7 },
        { server: one, deliverAfterMs: 9 },
      ],
      hits: [
        { server: other, rule: "rule", stage: "data", action: "deliver-later" },
        { server: null, rule: "all", stage: "data", action: "deliver-later" },
      ],
    });
    expect(replay.candidates.map(({ state }) => [state.seen, state.hits, state.skipped])).toEqual([
      [0, 0, 0],
      [0, 0, 1],
      [1, 1, 0],
      [1, 1, 0],
    ]);
  });

  test("defers a triple until the delay has passed, and lets later rules apply after it", () => {
    const replay = new Replay([
      aCandidate(aRule({ then: { greylist: { delayMs: 1500 } } })),
      aCandidate(aRule({ name: "next", then: { delayMs: 5 } })),
    ]);
    const reply = (seconds: number) => ({
      code: 451,
      enhanced: "4.7.1",
      text: `Greylisted, please try again in ${seconds} seconds`,
    });
    expect(replay.decide(anOccurrence(), 100)?.then).toMatchObject({ reply: reply(2) });
    expect(replay.decide(anOccurrence(), 1599)?.then).toMatchObject({ reply: reply(1) });
    expect(replay.decide(anOccurrence(), 1600)).toMatchObject({ then: { delayMs: 5 }, hits: [{ rule: "next" }] });
    expect(replay.candidates[0]?.state).toMatchObject({ seen: 3, hits: 2 });
  });

  test("applies to a request that sends nothing by its key, and never late delivery or a recipient", () => {
    const match = { stage: "request" } as const;
    const rules = [
      { then: { deliverAfterMs: 5, delayMs: 1 } },
      { match: { ...match, recipient: "*" } },
      { then: drop },
    ];
    const candidates = rules.map((fields, at) => aCandidate(aRule({ match, name: String(at), ...fields })));
    const call = anOccurrence({ ...match, server: one, sender: null, recipients: [], provider: "acme" });
    const replay = new Replay(candidates);
    expect(replay.decide(call)?.hits.map(({ rule }) => rule)).toEqual(["2"]);
    expect(replay.candidates.map(({ state }) => state.seen)).toEqual([0, 0, 1]);
    expect(replay.decide({ ...call, server: null })).toBeNull();
    expect(replay.decide(anOccurrence(match))?.hits.map(({ rule }) => rule)).toEqual(["0"]);
  });

  test("applies rules with `tls` only where a handshake takes place", () => {
    const rule = aRule({ match: { stage: "connect" }, then: { tls: "expired" } });
    const decides = (isTlsHandshake: boolean): boolean =>
      new Replay([aCandidate(rule, null)]).decide(anOccurrence({ stage: "connect", isTlsHandshake })) !== null;
    expect([decides(true), decides(false)]).toEqual([true, false]);
  });
});

test.each([
  [{ time: "2026-11-22T10:00:00Z" }, Date.UTC(2026, 10, 22, 10)],
  [{ afterMs: 60_000 }, 70_000],
])("a rule with %o ends at that instant", (until, endsAt) => {
  const state = newFaultState(10_000);
  expect(isFaultEnded({ until }, state, endsAt - 1)).toBe(false);
  expect(isFaultEnded({ until }, state, endsAt)).toBe(true);
});

test("the main effect of an outcome is its first one in the order of the actions", () => {
  const outcomes: readonly FaultOutcome[] = [
    { drop: true },
    { loseReply: true },
    { tls: "refuse" },
    { greylist: { delayMs: 1 } },
    { reply: { code: 450 } },
    { error: "internal" },
    { deliverAfterMs: 1 },
    { throttle: 1 },
    { delayMs: 1 },
  ];
  expect(outcomes.map((then) => actionOf({ delayMs: 1, ...then }))).toEqual(faultActions);
});
