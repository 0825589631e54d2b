import { findFreePort } from '../../src/cli/dev/server/start-dev-server.ts'

/** A free port under 32768: in PostgreSQL, Temporal keeps the ports of its services as numbers of 16 bits with a sign. */
export async function findLowPort(): Promise<number> {
  for (;;) {
    const wanted = 10_000 + Math.floor(Math.random() * 22_000)
    if ((await findFreePort(wanted)) === wanted) return wanted
  }
}
