import { Problem } from "../../core/errors.ts";
import { foldText } from "../../core/fold.ts";
import type {
  Membership,
  OwnedServer,
  Team,
  TeamChange,
  TeamMember,
  User,
  UserAccess,
  UserChange,
} from "../../core/people.ts";
import type { MembershipChange, UserLookup } from "../people-store.ts";
import { DialectRows, type SqlDialect } from "../sql/dialect.ts";
import { rowsOf, type Query } from "../sql/query.ts";
import type { KeyRows, SignInRows } from "./key-rows.ts";
import type { TeamLimitRows } from "./team-limit-rows.ts";

interface UserRow extends Omit<User, "isOwner" | "isActive"> {
  readonly isOwner: number;
  readonly isActive: number;
}

const userColumns = `id, user_name as "userName", email, name, issuer, subject, external_id as "externalId",
  is_owner as "isOwner", is_active as "isActive", created_at as "createdAt", last_seen_at as "lastSeenAt"`;
const teamColumns = `id, name, external_id as "externalId", role, created_at as "createdAt"`;
const membershipColumns = `user_id as "user", team, role, source`;

/** Dependencies of {@link PeopleRows}: statements about rows that are removed with their owner. */
interface PeopleDependencies {
  readonly keys: Pick<KeyRows, "removeKeys">;
  readonly signIns: Pick<SignInRows, "removeSignInsOfUser">;
  readonly teamLimits: Pick<TeamLimitRows, "removeTeamLimits">;
}

/** Statements about users, teams and memberships. Their guarantees are those of `PeopleStore`. */
export class PeopleRows extends DialectRows {
  readonly #dependencies: PeopleDependencies;

  constructor(dialect: SqlDialect, dependencies: PeopleDependencies) {
    super(dialect);
    this.#dependencies = dependencies;
  }

  *addUser(user: User): Query<void> {
    yield* this.#serialise();
    const added = yield* rowsOf(
      `insert into account_user (id, user_name, user_name_folded, email, email_folded, name, issuer, subject,
         external_id, is_owner, is_active, last_seen_at, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) on conflict do nothing returning id`,
      [...this.#valuesOf(user), user.createdAt],
    );
    if (added.length === 0) throw new Problem("conflict");
  }

  *getUser(id: string): Query<User | undefined> {
    return (yield* this.#selectUsers("where id = $1", [id]))[0];
  }

  *findUser(by: UserLookup): Query<User | undefined> {
    if ("issuer" in by) {
      const identity = [by.issuer, by.subject];
      return (yield* this.#selectUsers("where issuer = $1 and subject = $2", identity))[0];
    }
    const [column, text] = "email" in by ? ["email_folded", by.email] : ["user_name_folded", by.userName];
    return (yield* this.#selectUsers(`where ${column} = $1`, [foldText(text)]))[0];
  }

  *listUsers(): Query<readonly User[]> {
    return yield* this.#selectUsers("order by email_folded", []);
  }

  *updateUser(id: string, change: UserChange): Query<User | undefined> {
    yield* this.#serialise();
    const before = yield* this.getUser(id);
    if (before === undefined) return undefined;
    const user = { ...before, ...change };
    const values = this.#valuesOf(user);
    const [own, , userName, , email, , issuer, subject] = values;
    const taken = yield* rowsOf(
      `select 1 from account_user where id <> $1
         and (user_name_folded = $2 or email_folded = $3 or (issuer = $4 and subject = $5))`,
      [own, userName, email, issuer, subject],
    );
    if (taken.length > 0) throw new Problem("conflict");
    yield* rowsOf(
      `update account_user set user_name = $2, user_name_folded = $3, email = $4, email_folded = $5, name = $6,
         issuer = $7, subject = $8, external_id = $9, is_owner = $10, is_active = $11, last_seen_at = $12 where id = $1`,
      values,
    );
    return user;
  }

  *removeUser(id: string): Query<boolean> {
    const { keys, signIns } = this.#dependencies;
    if ((yield* rowsOf("delete from account_user where id = $1 returning id", [id])).length === 0) return false;
    yield* rowsOf("delete from membership where user_id = $1", [id]);
    yield* keys.removeKeys("owner_user", id);
    yield* signIns.removeSignInsOfUser(id);
    return true;
  }

  *addTeam(team: Team): Query<void> {
    yield* this.#serialise();
    const added = yield* rowsOf(
      `insert into team (id, name, name_folded, external_id, role, created_at) values ($1, $2, $3, $4, $5, $6)
       on conflict do nothing returning id`,
      [...this.#valuesOfTeam(team), team.createdAt],
    );
    if (added.length === 0) throw new Problem("conflict");
  }

  *getTeam(id: string): Query<Team | undefined> {
    return (yield* this.#selectTeams("where id = $1", [id]))[0];
  }

  *listTeams(): Query<readonly Team[]> {
    return yield* this.#selectTeams("order by name_folded", []);
  }

  *updateTeam(id: string, change: TeamChange): Query<Team | undefined> {
    yield* this.#serialise();
    const before = yield* this.getTeam(id);
    if (before === undefined) return undefined;
    const team = { ...before, ...change };
    const values = this.#valuesOfTeam(team);
    const [own, , name] = values;
    const taken = yield* rowsOf("select 1 from team where id <> $1 and name_folded = $2", [own, name]);
    if (taken.length > 0) throw new Problem("conflict");
    yield* rowsOf("update team set name = $2, name_folded = $3, external_id = $4, role = $5 where id = $1", values);
    return team;
  }

  *removeTeam(id: string): Query<boolean> {
    if ((yield* rowsOf("delete from team where id = $1 returning id", [id])).length === 0) return false;
    yield* rowsOf("delete from membership where team = $1", [id]);
    yield* this.#dependencies.keys.removeKeys("owner_team", id);
    yield* rowsOf("/* all servers */ update server set team = null where team = $1", [id]);
    // After the servers, as transactions that store messages lock them.
    yield* this.#dependencies.teamLimits.removeTeamLimits(id);
    return true;
  }

  *listMemberships({ user, team }: { readonly user?: string; readonly team?: string } = {}): Query<
    readonly Membership[]
  > {
    const [column, id] = user === undefined ? ["team", team] : ["user_id", user];
    const values = id === undefined ? [] : [id];
    const condition = id === undefined ? "" : `where ${column} = $1`;
    const sql = `select ${membershipColumns} from membership ${condition} order by team, user_id`;
    return yield* rowsOf<Membership>(sql, values);
  }

  *listMembers(team: string): Query<readonly TeamMember[]> {
    return yield* rowsOf<TeamMember>(
      `select m.user_id as "user", m.team, m.role, m.source, u.email, u.name
       from membership m join account_user u on u.id = m.user_id where m.team = $1 order by u.email_folded`,
      [team],
    );
  }

  *changeMemberships({ put = [], remove = [] }: MembershipChange): Query<void> {
    for (const { user, team } of remove) {
      yield* rowsOf("delete from membership where user_id = $1 and team = $2", [user, team]);
    }
    for (const { user, team, role, source } of put) {
      // A row of a removed user or team would outlive them.
      if ((yield* this.#locks("account_user", user)) && (yield* this.#locks("team", team))) {
        yield* rowsOf(
          `insert into membership (user_id, team, role, source) values ($1, $2, $3, $4)
           on conflict (user_id, team) do update set role = excluded.role, source = excluded.source`,
          [user, team, role, source],
        );
      }
    }
  }

  *findUserAccess(id: string): Query<UserAccess | undefined> {
    const user = yield* this.getUser(id);
    if (user === undefined) return undefined;
    const memberships = yield* this.listMemberships({ user: id });
    return { user, memberships, servers: yield* this.#serversOf(memberships.map(({ team }) => team)) };
  }

  *findTeamServers(id: string): Query<readonly OwnedServer[] | undefined> {
    return (yield* this.getTeam(id)) === undefined ? undefined : yield* this.#serversOf([id]);
  }

  *#serversOf(teams: readonly string[]): Query<readonly OwnedServer[]> {
    if (teams.length === 0) return [];
    const { isAmong, list } = this.dialect;
    return yield* rowsOf<OwnedServer>(
      `/* all servers */ select id, team from server where ${isAmong("team", "$1", "text")}`,
      [list(teams)],
    );
  }

  /** Lets changes wait for each other, so that no name is taken between its check and its use. */
  *#serialise(): Query<void> {
    yield* rowsOf(`select 1 from state ${this.dialect.forUpdate}`);
  }

  /** Returns whether the row exists, which then stays until the commit. */
  *#locks(table: "account_user" | "team", id: string): Query<boolean> {
    const sql = `select 1 from ${table} where id = $1 ${this.dialect.forUpdate}`;
    return (yield* rowsOf(sql, [id])).length > 0;
  }

  /** Returns the values of all columns but `created_at`. */
  #valuesOf(user: User): readonly unknown[] {
    const { id, userName, email, name, issuer, subject, externalId, isOwner, isActive, lastSeenAt } = user;
    const names = [userName, foldText(userName), email, foldText(email), name];
    return [id, ...names, issuer, subject, externalId, Number(isOwner), Number(isActive), lastSeenAt];
  }

  /** Returns the values of all columns but `created_at`. */
  #valuesOfTeam({ id, name, externalId, role }: Team): readonly unknown[] {
    return [id, name, foldText(name), externalId, role];
  }

  *#selectUsers(rest: string, values: readonly unknown[]): Query<readonly User[]> {
    const rows = yield* rowsOf<UserRow>(`select ${userColumns} from account_user ${rest}`, values);
    return rows.map((row) => ({
      ...row,
      isOwner: row.isOwner !== 0,
      isActive: row.isActive !== 0,
    }));
  }

  *#selectTeams(rest: string, values: readonly unknown[]): Query<readonly Team[]> {
    return yield* rowsOf<Team>(`select ${teamColumns} from team ${rest}`, values);
  }
}
