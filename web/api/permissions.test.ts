import { expect, test } from "vitest";
import { accountSession, restrictedSession } from "../testing/samples.ts";
import { permissionsOf } from "./permissions.ts";

test.each([
  [
    { ...accountSession, scope: "full" },
    { isAccount: true, canSend: true, canManage: true, canConfigure: true },
  ],
  [
    { ...accountSession, scope: "read" },
    { isAccount: true, canSend: false, canManage: false, canConfigure: false },
  ],
  [
    { ...restrictedSession, scope: "send" },
    { isAccount: false, canSend: true, canManage: false, canConfigure: false },
  ],
  [
    { ...accountSession, isAccount: false, scope: "test" },
    { isAccount: false, canSend: true, canManage: true, canConfigure: false },
  ],
] as const)("allows what server and scope of the key do: %#", (session, permissions) => {
  expect(permissionsOf(session)).toEqual(permissions);
});
