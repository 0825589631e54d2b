import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

/** Starts this program once more, to play a part in what the first one measures. */
export function startRole(role: string): ChildProcess {
  return fork(process.argv[1] as string, [role])
}

/** What a process says next. */
export async function heard<Message>(from: ChildProcess | NodeJS.Process): Promise<Message> {
  const [message] = (await once(from, 'message')) as [Message]
  return message
}

/** Plays the part that this process was started for; ends it when the process that measures has gone. */
export async function playRole(
  roles: Readonly<Record<string, () => Promise<void>>>,
  measure: () => Promise<void>,
): Promise<void> {
  process.on('disconnect', () => process.exit())
  await (roles[process.argv[2] ?? ''] ?? measure)()
}
