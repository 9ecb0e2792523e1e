import { expect, test } from "vitest";
import { accountSession, restrictedSession, sessionOfMember } from "../testing/samples.ts";
import { permissionsOf } from "./permissions.ts";

test.each([
  [
    { ...accountSession, scope: "full" },
    { isAccount: true, canSend: true, canManage: true, canConfigure: true, canAdminister: true },
  ],
  [
    { ...accountSession, scope: "read" },
    { isAccount: true, canSend: false, canManage: false, canConfigure: false, canAdminister: false },
  ],
  [
    { ...restrictedSession, scope: "send" },
    { isAccount: false, canSend: true, canManage: false, canConfigure: false, canAdminister: false },
  ],
  [
    { ...accountSession, isAccount: false, scope: "test" },
    { isAccount: false, canSend: true, canManage: true, canConfigure: false, canAdminister: false },
  ],
] as const)("allows what server and scope of the key do: %#", (session, permissions) => {
  expect(permissionsOf(session)).toEqual(permissions);
});

test("allows a user on each server what its role in the team of the server includes", () => {
  const session = sessionOfMember("viewer");
  const [viewed] = session.user?.teams ?? [];
  if (session.user === null || viewed === undefined) throw new Error("the session has no team");
  const managed = { ...viewed, id: "team2", role: "manager", access: "full" } as const;
  const both = { ...session, scope: "full", user: { ...session.user, teams: [viewed, managed] } } as const;
  expect(permissionsOf(both, { team: managed.id })).toMatchObject({ isAccount: false, canAdminister: true });
  for (const team of [viewed.id, "unknown", null, undefined]) {
    expect(permissionsOf(both, { team })).toMatchObject({ canSend: false, canManage: false, canAdminister: false });
  }
  expect(permissionsOf(sessionOfMember("tester"))).toMatchObject({ canManage: true, canConfigure: false });
});

test("lets a full key of one server change its settings, and neither delete it nor create keys", () => {
  expect(permissionsOf(restrictedSession)).toMatchObject({ canConfigure: true, canAdminister: false });
});
