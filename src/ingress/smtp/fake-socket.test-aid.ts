import { EventEmitter } from "node:events";
import type { Socket } from "node:net";

/** Socket in memory, through which a test sends chunks and reads what a session writes. */
export class FakeSocket extends EventEmitter {
  readonly written: string[] = [];
  isPaused = false;
  isEnded = false;
  resetCount = 0;
  /** Returned by `write`: false while the send buffer is full. */
  keepsUp = true;
  #isDestroyed = false;

  /** Returns this socket as the class of Node. */
  asSocket(): Socket {
    return this as unknown as Socket;
  }

  /** Receives a chunk of the client. */
  take(chunk: Buffer): void {
    this.emit("data", chunk);
  }

  write(wire: string): boolean {
    this.written.push(wire);
    return this.keepsUp;
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  end(wire: string): void {
    if (wire !== "") this.written.push(wire);
    this.isEnded = true;
    this.destroy();
  }

  destroySoon(): void {
    this.destroy();
  }

  resetAndDestroy(): void {
    this.resetCount += 1;
    this.isEnded = true;
    this.destroy();
  }

  destroy(): void {
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    process.nextTick(() => this.emit("close"));
  }
}
