/** Users and teams that commands name by their texts. */
import type { Team, User } from "../../core/people.ts";

/** Returns the id of the user with this id, e-mail address or user name. Throws an `Error` for the operator. */
export function findUser(users: readonly Pick<User, "id" | "email" | "userName">[], text = ""): string {
  const wanted = text.toLowerCase();
  const found = users.find(
    ({ id, email, userName }) => id === text || [email, userName].some((name) => name.toLowerCase() === wanted),
  );
  if (found === undefined) throw new Error(`There is no user ${text}; restante users list shows them`);
  return found.id;
}

/** Returns the id of the team with this id or name. Throws an `Error` for the operator. */
export function findTeam(teams: readonly Pick<Team, "id" | "name">[], text = ""): string {
  const wanted = text.toLowerCase();
  const found = teams.find(({ id, name }) => id === text || name.toLowerCase() === wanted);
  if (found === undefined) throw new Error(`There is no team ${text}; restante teams list shows them`);
  return found.id;
}
