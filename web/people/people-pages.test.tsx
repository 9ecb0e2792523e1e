import { screen, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { storePageToken } from "../api/client.ts";
import { problem, renderUi } from "../testing/render-ui.tsx";
import { accountSession, server, sessionOfMember, teamServer } from "../testing/samples.ts";
import type { Member, Team, TeamMember, User } from "../wire.ts";
import { TeamsPage } from "./teams-page.tsx";
import { UsersPage } from "./users-page.tsx";

const ann: User = {
  id: "user1",
  email: "ann@corp.example",
  userName: "ann@corp.example",
  name: "Ann",
  issuer: null,
  externalId: null,
  isOwner: false,
  isActive: true,
  createdAt: "2026-01-01T00:00:00.000Z",
  lastSeen: null,
};
const bob: User = { ...ann, id: "user2", email: "bob@corp.example", name: "", isOwner: true, isActive: false };
const payments: Team = {
  id: "team1",
  name: "Payments",
  externalId: null,
  role: "tester",
  createdAt: "2026-01-01T00:00:00.000Z",
};
const shop: Team = { ...payments, id: "team2", name: "Shop team" };
const membership: Member = { user: ann.id, team: payments.id, role: "tester", source: "scim" };
const annInTeam: TeamMember = { ...membership, email: ann.email, name: ann.name };
const account = { ...accountSession, hasPeople: true };
const responses = {
  "GET /web/session": account,
  "GET /api/users": [ann, bob],
  "GET /api/teams": [payments, shop],
  "GET /api/servers": [teamServer, { ...server, id: "push5678", name: "Push" }],
  "GET /api/users/user1/teams": [membership],
  "GET /api/teams/team1/members": [annInTeam],
};

function open(path: string): void {
  history.replaceState(null, "", path);
}

beforeEach(() => {
  open("/users");
  // The session is loaded again after each change.
  storePageToken("a-token");
});
afterEach(() => {
  storePageToken(null);
});

test("lists users with state and last sign-in, and opens the page of a new one", async () => {
  const { user, requests } = renderUi(<UsersPage />, { ...responses, "POST /api/users": ann });
  const [, first, second] = await screen.findAllByRole("row");
  expect(first?.textContent).toBe("Annann@corp.exampleActiveNever");
  expect(second?.textContent).toBe("bob@corp.exampleOwnerInactiveNever");
  await user.click(screen.getByRole("button", { name: "New user" }));
  const dialog = within(await screen.findByRole("dialog", { name: "New user" }));
  await user.type(dialog.getByLabelText("Email address"), "ann@corp.example");
  await user.type(dialog.getByLabelText("Name"), "Ann{Enter}");
  await screen.findByRole("heading", { name: "Ann" });
  expect(location.pathname).toBe("/users/user1");
  expect(requests).toContain('POST /api/users {"email":"ann@corp.example","name":"Ann","isOwner":false}');
});

test("filters many users, and shows at most 200 of them", async () => {
  const many = Array.from({ length: 250 }, (_, at) => ({
    ...ann,
    id: `u${at}`,
    name: "",
    email: `u${at}@corp.example`,
  }));
  const { user } = renderUi(<UsersPage />, { ...responses, "GET /api/users": many });
  await screen.findByText("50 more are not shown. Filter to find them.");
  const filter = screen.getByLabelText("Filter by name or address");
  await user.click(filter);
  await user.paste("U249");
  expect(screen.getAllByRole("row")).toHaveLength(2);
  await user.paste("x");
  screen.getByText("No users match.");
});

test("changes a user, its role in a team and its teams, and ends its access", async () => {
  open("/users/user1");
  const { user, requests } = renderUi(<UsersPage />, {
    ...responses,
    "PUT /api/users/user1": ann,
    "PUT /api/teams/team1/members/user1": membership,
    "PUT /api/teams/team2/members/user1": membership,
    "DELETE /api/teams/team1/members/user1": {},
    "DELETE /api/users/user1": problem(409, "Users cannot end their own access"),
  });
  await user.type(await screen.findByLabelText("Name"), "a");
  await user.click(screen.getByRole("button", { name: "Save" }));
  await user.selectOptions(await screen.findByRole("combobox", { name: "Role of Payments" }), "Manager");
  await user.selectOptions(screen.getByLabelText("Role"), "Viewer");
  await user.click(screen.getByRole("button", { name: "Add" }));
  await user.click(screen.getByRole("button", { name: "Remove Payments" }));
  await user.click(screen.getByRole("button", { name: "Deactivate" }));
  await expect
    .poll(() => requests.filter((line) => !line.startsWith("GET")))
    .toEqual([
      'PUT /api/users/user1 {"email":"ann@corp.example","name":"Anna","isOwner":false}',
      'PUT /api/teams/team1/members/user1 {"role":"manager"}',
      'PUT /api/teams/team2/members/user1 {"role":"viewer"}',
      "DELETE /api/teams/team1/members/user1",
      'PUT /api/users/user1 {"isActive":false}',
    ]);
  await user.click(screen.getByRole("button", { name: "Delete user" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Delete Ann?" }));
  await user.click(dialog.getByRole("button", { name: "Delete user" }));
  await dialog.findByText(/cannot end their own access/);
});

test("says that a user or a team at an address does not exist", async () => {
  open("/users/nobody");
  renderUi(<UsersPage />, responses);
  await screen.findByRole("heading", { name: "User not found" });
  open("/teams/nothing");
  renderUi(<TeamsPage />, responses);
  await screen.findByRole("heading", { name: "Team not found" });
});

test("lists teams with the number of their servers, and opens the page of a new one", async () => {
  open("/teams");
  const { user, requests } = renderUi(<TeamsPage />, { ...responses, "POST /api/teams": payments });
  const [, first] = await screen.findAllByRole("row");
  await expect.poll(() => first?.textContent).toBe("Payments1");
  await user.click(screen.getByRole("button", { name: "New team" }));
  await user.type(await screen.findByLabelText("Name"), "Payments{Enter}");
  await screen.findByRole("heading", { name: "Payments" });
  expect(location.pathname).toBe("/teams/team1");
  expect(requests).toContain('POST /api/teams {"name":"Payments","externalId":null,"role":"tester"}');
});

test("adds a member by its address, and shows servers and members of a team", async () => {
  open("/teams/team1");
  const put = "PUT /api/teams/team1/members/user2";
  const { user, requests } = renderUi(<TeamsPage />, { ...responses, [put]: membership });
  await screen.findByRole("link", { name: "Ann" });
  screen.getByRole("cell", { name: "Directory" });
  screen.getByRole("link", { name: "Shop" });
  const field = screen.getByLabelText("Add user by email address");
  await user.type(field, "nobody@corp.example{Enter}");
  expect((await screen.findByRole("alert")).textContent).toBe("No other user has this address.");
  await user.clear(field);
  await user.type(field, "BOB@corp.example{Enter}");
  await expect.poll(() => requests).toContain(`${put} {"role":"tester"}`);
  expect(screen.queryByRole("alert")).toBeNull();
});

test("lets a manager appoint members of its team, and change neither users nor teams", async () => {
  open("/teams/team1");
  renderUi(<TeamsPage />, {
    ...responses,
    "GET /api/teams": [payments],
    "GET /web/session": { ...sessionOfMember("manager") },
  });
  await screen.findByText("Your role: Manager");
  await screen.findByRole("combobox", { name: "Role of Ann" });
  for (const name of ["Save", "Delete team"]) expect(screen.queryByRole("button", { name })).toBeNull();
});

test("shows other members of a team its members and servers, without links to users", async () => {
  open("/teams/team1");
  const { requests } = renderUi(<TeamsPage />, { ...responses, "GET /web/session": { ...sessionOfMember("tester") } });
  await screen.findByText("Your role: Tester");
  await screen.findByRole("link", { name: "Shop" });
  await screen.findByText("ann@corp.example");
  expect(screen.queryByRole("link", { name: "Ann" })).toBeNull();
  expect(screen.queryAllByRole("button")).toEqual([]);
  const read = ["GET /api/servers", "GET /api/teams", "GET /api/teams/team1/members"];
  expect(requests.filter((line) => !read.includes(line))).toEqual([]);
});

test("shows a manager users without actions", async () => {
  open("/users/user2");
  renderUi(<UsersPage />, {
    ...responses,
    "GET /api/users/user2/teams": [],
    "GET /web/session": { ...sessionOfMember("manager") },
  });
  await screen.findByText("In no team. As an owner, this user sees all servers.");
  expect(screen.getByLabelText<HTMLInputElement>("Name").matches(":disabled")).toBe(true);
  expect(screen.queryByRole("button", { name: "Deactivate" })).toBeNull();
  screen.getByLabelText("Add to team");
});
