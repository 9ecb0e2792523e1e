/** Refuses connections of the process to other machines: a mutated request may name any host. Loaded with `--import`. */
import { Socket } from "node:net";

const connect = Reflect.get(Socket.prototype, "connect") as (this: Socket, ...target: readonly unknown[]) => Socket;

/** Returns whether the arguments of `connect` name this machine or a Unix socket. */
function isLocal(target: unknown): boolean {
  const [options] = Array.isArray(target) ? (target as readonly unknown[]) : [target];
  if (typeof options !== "object" || options === null) return false;
  const { host, path } = options as { readonly host?: string | null; readonly path?: string };
  return path !== undefined || /^(?:localhost|::1|127\..*)$/.test(host ?? "localhost");
}

function connectLocally(this: Socket, ...target: readonly unknown[]): Socket {
  if (isLocal(target[0])) return Reflect.apply(connect, this, target);
  process.nextTick(() => this.destroy(new Error("fuzzing connects to this machine only")));
  return this;
}

Reflect.set(Socket.prototype, "connect", connectLocally);
