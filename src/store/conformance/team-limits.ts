import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { encodeMessageId, type ServerId } from "../../core/ids.ts";
import { dayOf, storedBytes } from "../../core/server.ts";
import { noTeamLimits, type TeamLimits } from "../../core/team-limits.ts";
import { noUsage } from "../../core/usage.ts";
import type { InsertOptions, NewMessage } from "../store.ts";
import { aServer, anEntry, draft, epochMs } from "./drafts.ts";
import { expectProblem, useStore, type OpenStore } from "./setup.ts";

const dayMs = 86_400_000;
const ample = { countMax: 1000, bytesMax: 2 ** 30 };

/** Team with two servers. */
interface LimitedTeam {
  readonly team: string;
  readonly one: ServerId;
  readonly other: ServerId;
}

/** Limits of teams, in every transaction that stores or sends messages of their servers. */
export function describeTeamLimits(open: OpenStore): void {
  const store = useStore(open);
  const addTeam = async (): Promise<string> => {
    const id = randomUUID();
    await store().people.addTeam({ id, name: `T ${id}`, externalId: null, role: "tester", createdAt: epochMs });
    return id;
  };
  const addServer = async (team: string | null = null): Promise<ServerId> =>
    (await store().createServer(aServer({ team }))).id;
  const limited = async (limits: Partial<TeamLimits>): Promise<LimitedTeam> => {
    const team = await addTeam();
    await store().teamLimits.putTeamLimits(team, { ...noTeamLimits, ...limits });
    return { team, one: await addServer(team), other: await addServer(team) };
  };
  const add = async (message: NewMessage, options: InsertOptions = {}): Promise<unknown> =>
    store().addMessages([message], options);
  const hold = async (server: ServerId, at: number, raw = "Subject: x\r\n\r\n"): Promise<unknown> => {
    const id = encodeMessageId({ server, direction: "Received", receivedAt: at, random: 4096 });
    const held = { id, sendAt: at + 1000, acceptedAt: at, json: "{}", raw: Buffer.from(raw) };
    return store().scheduledMessages.addScheduledMessages([held], ample);
  };

  test("returns the limits of a team until they are null or the team is removed", async () => {
    const { teamLimits, people } = store();
    const team = await addTeam();
    expect(await teamLimits.getTeamLimits(team)).toEqual(noTeamLimits);
    const limits = { ...noTeamLimits, bytesMax: 2 ** 45, outboundPerHourMax: 0 };
    await teamLimits.putTeamLimits(team, limits);
    expect(await teamLimits.getTeamLimits(team)).toEqual(limits);
    expect((await teamLimits.listTeamLimits()).get(team)).toEqual(limits);
    await teamLimits.putTeamLimits(team, noTeamLimits);
    expect((await teamLimits.listTeamLimits()).has(team)).toBe(false);
    await teamLimits.putTeamLimits(team, limits);
    await people.removeTeam(team);
    expect((await teamLimits.listTeamLimits()).has(team)).toBe(false);
    await expectProblem(teamLimits.putTeamLimits(team, limits), "not_found");
  });

  test("rejects a message beyond the quota of messages of all servers of a team, and names no other server", async () => {
    const { one, other } = await limited({ messagesMax: 2 });
    await add(draft(one));
    await add(draft(other, { direction: "Sent" }));
    const refused = add(draft(one));
    await expectProblem(refused, "quota_exceeded");
    await expect(refused).rejects.toThrow(
      `The team of server ${one} is over its quota of 2 messages: it holds 2, and this needs 1 more`,
    );
    await store().emptyServer(other);
    await add(draft(one));
    await add(draft(await addServer()));
  });

  test("accepts a message that fills the quota of bytes of a team exactly, and rejects the next", async () => {
    const { team, one, other } = await limited({});
    const [first, second] = [draft(one), draft(other)];
    const bytesMax = [first, second].reduce(
      (sum, { raw, detailJson }) => sum + storedBytes({ raw, detail: detailJson }),
      0,
    );
    await store().teamLimits.putTeamLimits(team, { ...noTeamLimits, bytesMax });
    await add(first);
    await add(second);
    await expectProblem(add(draft(other)), "quota_exceeded");
    expect(await store().teamLimits.measureTeam(team)).toEqual({ messages: 2, bytes: bytesMax });
  });

  test("counts held messages against the quota and the daily limit of a team, once", async () => {
    const { team, one, other } = await limited({ messagesMax: 2, emailsPerDayMax: 5 });
    await hold(one, epochMs + 1);
    await add(draft(other));
    await expectProblem(add(draft(one)), "quota_exceeded");
    await expectProblem(hold(other, epochMs + 2), "quota_exceeded");
    const use = { messages: 2, emailsToday: 2, smsToday: 0 };
    expect(await store().teamLimits.getTeamUse(team, epochMs + 3)).toMatchObject(use);
    await add(draft(one), { limits: "none" });
    expect(await store().teamLimits.getTeamUse(team, epochMs + 3)).toMatchObject({ ...use, messages: 3 });
  });

  test("applies the quota of a team to imports, and counts them for no day", async () => {
    const { team, one, other } = await limited({ messagesMax: 2, emailsPerDayMax: 1 });
    await add(draft(one), { limits: "storage" });
    await add(draft(other), { limits: "storage" });
    await expectProblem(add(draft(one), { limits: "storage" }), "quota_exceeded");
    expect(await store().teamLimits.getTeamUse(team, epochMs + 1)).toMatchObject({ messages: 2, emailsToday: 0 });
  });

  test("rejects mails and SMS beyond the daily limits of a team until the day ends", async () => {
    const at = Date.UTC(2030, 0, 5, 23, 59, 0);
    const { team, one, other } = await limited({ emailsPerDayMax: 1, smsPerDayMax: 1 });
    await add(draft(one, { at }));
    const refused = add(draft(other, { at: at + 1 }));
    await expectProblem(refused, "limit_reached");
    await expect(refused).rejects.toMatchObject({
      message: `The team of server ${other} has reached its daily limit of 1 mails`,
      retryAfterSeconds: 60,
      limit: "team_email",
    });
    await add(draft(other, { at: at + 2, raw: "" }));
    await expect(add(draft(one, { at: at + 3, raw: "" }))).rejects.toMatchObject({ limit: "team_sms" });
    await expectProblem(hold(one, at + 4), "limit_reached");
    expect(await store().teamLimits.getTeamUse(team, at)).toMatchObject({ emailsToday: 1, smsToday: 1 });
    await add(draft(one, { at: at + 60_000 }));
    expect(await store().teamLimits.getTeamUse(team, at + 60_000)).toMatchObject({ emailsToday: 1, smsToday: 0 });
  });

  test("rejects deliveries beyond the hourly limit of a team, and leaves that of the account as it was", async () => {
    const { team, one, other } = await limited({ outboundPerHourMax: 2 });
    const send = async (server: ServerId, count: number, now: number): Promise<unknown> => {
      const message = draft(server, { direction: "Sent" });
      const entries = Array.from({ length: count }, () => anEntry({ message: message.id }));
      return add(message, { entries, allowance: { countMax: 3, now } });
    };
    const now = Date.UTC(2029, 1, 1);
    await send(one, 1, now);
    await expectProblem(send(other, 2, now), "too_many_requests");
    await send(other, 1, now);
    await expect(send(one, 1, now + 1000)).rejects.toMatchObject({ retryAfterSeconds: 3599, limit: "team_outbound" });
    expect(await store().teamLimits.getTeamUse(team, now)).toMatchObject({ outboundThisHour: 2 });
    expect(await store().teamLimits.getTeamUse(team, now + 3_600_000)).toMatchObject({ outboundThisHour: 0 });
    await send(await addServer(), 1, now);
    await send(one, 1, now + 3_600_000);
  });

  test("stores and counts nothing of a call for several teams when one of them has reached a limit", async () => {
    const free = await limited({ emailsPerDayMax: 9 });
    const full = await limited({ emailsPerDayMax: 1 });
    await add(draft(full.one));
    const mail = [draft(free.one), draft(full.one)];
    await expectProblem(store().addMessages(mail), "limit_reached");
    expect(await store().teamLimits.getTeamUse(free.team, epochMs)).toMatchObject({ messages: 0, emailsToday: 0 });
  });

  test("does not count a message again that exists", async () => {
    const { team, one } = await limited({ emailsPerDayMax: 1, messagesMax: 1 });
    const message = draft(one);
    expect(await add(message)).toEqual(await add(message));
    expect(await store().teamLimits.getTeamUse(team, epochMs)).toMatchObject({ messages: 1, emailsToday: 1 });
  });

  test("stores exactly 5 of 20 parallel messages of two servers of a team with a quota of 5", async () => {
    const { team, one, other } = await limited({ messagesMax: 5 });
    const free = await addServer();
    const settled = await Promise.allSettled(
      Array.from({ length: 20 }, async (_, at) => {
        await add(draft(free));
        return await add(draft(at % 2 === 0 ? one : other));
      }),
    );
    expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
    expect((await store().teamLimits.measureTeam(team)).messages).toBe(5);
    expect((await store().getServer(free))?.messages).toBe(20);
  });

  test("narrows the retention of servers by that of their team", async () => {
    const { team, one, other } = await limited({ ageSecondsMax: 100 });
    await store().updateServer(other, { retention: { ageSecondsMax: 50, messageCountMax: 3 } });
    const own = await addServer();
    const listed = new Map((await store().listServersForMaintenance(0)).map(({ id, retention }) => [id, retention]));
    expect(listed.get(one)).toEqual({ ageSecondsMax: 100, messageCountMax: null });
    expect(listed.get(other)).toEqual({ ageSecondsMax: 50, messageCountMax: 3 });
    expect(listed.has(own)).toBe(false);
    expect((await store().getServer(one))?.retention).toEqual({ ageSecondsMax: null, messageCountMax: null });
    await store().teamLimits.putTeamLimits(team, { ...noTeamLimits, ageSecondsMax: 20 });
    const narrowed = (await store().listServersForMaintenance(0)).find(({ id }) => id === other);
    expect(narrowed?.retention).toEqual({ ageSecondsMax: 20, messageCountMax: 3 });
  });
}

/** Usage by team and server, and traffic of servers. */
export function describeUsage(open: OpenStore): void {
  const store = useStore(open);
  let month = 0;
  /** Returns the first day of a month that no other test uses. */
  const newMonth = (): number => dayOf(Date.UTC(2031, (month += 2), 1));
  const size = ({ raw, detailJson }: NewMessage): number => storedBytes({ raw, detail: detailJson });
  const addTeam = async (): Promise<string> => {
    const id = randomUUID();
    await store().people.addTeam({ id, name: `T ${id}`, externalId: null, role: "tester", createdAt: epochMs });
    return id;
  };

  test("counts mails, SMS, bytes and deliveries by the team that owns the server at that time", async () => {
    const day = newMonth();
    const at = day * dayMs;
    const team = await addTeam();
    const { id: server } = await store().createServer(aServer());
    const [first, second] = [draft(server, { at }), draft(server, { at: at + 1, raw: "" })];
    await store().addMessages([first, second]);
    await store().updateServer(server, { team });
    const sent = draft(server, { at: at + dayMs, direction: "Sent" });
    const entries = [anEntry({ message: sent.id }), anEntry({ message: sent.id })];
    const options = { entries, allowance: { countMax: 1e6, now: at + dayMs } };
    await store().addMessages([sent], options);
    await store().addMessages([sent], options);
    const ofNone = { server, team: null, email: 1, sms: 1, bytes: size(first) + size(second), outbound: 0 };
    const ofTeam = { server, team, email: 1, sms: 0, bytes: size(sent), outbound: 2 };
    expect(await store().listServerUsage(day, day + 28)).toEqual([ofNone, ofTeam]);
    expect(await store().listServerUsage(day, day + 1)).toEqual([ofNone]);
    await store().deleteServer(server);
    await store().people.removeTeam(team);
    const { server: _server, ...counts } = ofTeam;
    expect(await store().listTeamUsage(day + 1)).toContainEqual({ day: day + 1, ...counts });
  });

  test("counts a replaced message once", async () => {
    const day = newMonth();
    const { id: server } = await store().createServer(aServer({ team: await addTeam() }));
    const message = draft(server, { at: day * dayMs });
    await store().addMessages([message]);
    const before = await store().listServerUsage(day, day + 1);
    await store().reparses.replaceMessage({ ...message, detailJson: Buffer.from("x".repeat(5000)) });
    expect(await store().listServerUsage(day, day + 1)).toEqual(before);
  });

  test("counts parallel messages exactly", async () => {
    const day = newMonth();
    const { id: server } = await store().createServer(aServer());
    const messages = Array.from({ length: 40 }, (_, at) => draft(server, { at: day * dayMs + at }));
    await Promise.all(messages.map(async (message) => store().addMessages([message])));
    const bytes = messages.reduce((sum, message) => sum + size(message), 0);
    expect(await store().listServerUsage(day, day + 1)).toMatchObject([{ email: 40, bytes }]);
  });

  test("raises counts of days and teams where they are lower", async () => {
    const day = newMonth();
    const team = await addTeam();
    const { id: server } = await store().createServer(aServer({ team }));
    await store().addMessages([draft(server, { at: day * dayMs })]);
    const [own] = await store().listTeamUsage(day);
    const rows = [
      { day, team, email: 3, sms: 2, bytes: own?.bytes ?? 0, outbound: 4 },
      { day, team: null, email: 1, sms: 0, bytes: 5, outbound: 0 },
    ];
    await Promise.all([store().raiseUsage(rows), store().raiseUsage(rows)]);
    const raised = (await store().listTeamUsage(day)).filter((row) => row.day === day);
    expect(raised).toHaveLength(2);
    for (const row of rows) expect(raised).toContainEqual(row);
    // The sum of the day is known already, for another team.
    await store().raiseUsage([{ ...noUsage, day, team: null, email: 4 }]);
    expect((await store().listTeamUsage(day)).filter((row) => row.day === day)).toEqual(raised);
  });

  test("keeps teams of old days without their servers, and nothing of older ones", async () => {
    const day = newMonth();
    const team = await addTeam();
    const servers = await Promise.all([1, 2].map(async () => (await store().createServer(aServer({ team }))).id));
    for (const server of servers) {
      for (const at of [day - 3, day - 2, day]) await store().addMessages([draft(server, { at: at * dayMs })]);
    }
    const rowOf = async (at: number): Promise<unknown> =>
      (await store().listServerUsage(at, at + 1)).filter((row) => row.team === team);
    const merged = (await store().listTeamUsage(day - 2)).find((row) => row.day === day - 2);
    while (await store().compactUsage(day - 2, day));
    expect(await rowOf(day - 3)).toEqual([]);
    expect(await rowOf(day - 2)).toMatchObject([{ server: null, email: 2, bytes: merged?.bytes }]);
    expect(await rowOf(day)).toHaveLength(2);
    await store().addMessages([draft(servers[0] as ServerId, { at: (day - 2) * dayMs + 1 })]);
    expect(await store().compactUsage(day - 2, day)).toBe(true);
    expect(await rowOf(day - 2)).toMatchObject([{ server: null, email: 3 }]);
  });

  test("notes the newest message of a server, also after its deletion, and deletes idle servers alone", async () => {
    const idle = await store().createServer(aServer());
    expect(idle).toMatchObject({ trafficAt: epochMs, isProtected: false });
    const message = draft(idle.id, { at: epochMs + dayMs });
    await store().addMessages([message, draft(idle.id, { at: epochMs + 5 })]);
    await store().deleteMessage(message.id);
    expect(await store().getServer(idle.id)).toMatchObject({ trafficAt: epochMs + dayMs });
    expect(await store().deleteServer(idle.id, epochMs + dayMs)).toBe(false);

    const kept = await store().createServer(aServer({ isProtected: true }));
    expect(await store().deleteServer(kept.id, epochMs + dayMs)).toBe(false);
    const waiting = await store().createServer(aServer());
    const id = encodeMessageId({ server: waiting.id, direction: "Received", receivedAt: epochMs, random: 4096 });
    const later = { id, sendAt: epochMs + 1e9, acceptedAt: null, json: "{}", raw: Buffer.from("x") };
    await store().scheduledMessages.addScheduledMessages([later], ample);
    expect(await store().deleteServer(waiting.id, epochMs + dayMs)).toBe(false);

    expect(await store().deleteServer(idle.id, epochMs + dayMs + 1)).toBe(true);
    expect(await store().getServer(idle.id)).toBeUndefined();
    expect((await store().updateServer(kept.id, { isProtected: false }))?.isProtected).toBe(false);
    expect(await store().deleteServer(kept.id, epochMs + 1)).toBe(true);
    const imported = await store().createServer(aServer({ trafficAt: epochMs + 7 }));
    expect(imported.trafficAt).toBe(epochMs + 7);
  });
}
