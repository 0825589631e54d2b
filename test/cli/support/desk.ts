import {
  type AskingCommand,
  type CommandResult,
  newFolder,
  opsbook,
  type Surroundings,
  untilAsked,
} from './opsbook.ts'
import { type Service, startService } from './service.ts'

/** A folder with files, a service, and commands that know both. Their data directory is `data` in the folder. */
export interface Desk {
  readonly service: Service
  readonly folder: string
  readonly surroundings: Surroundings
  command(...words: readonly string[]): Promise<CommandResult>
  /** The document of a command. */
  // biome-ignore lint/suspicious/noExplicitAny: each command has another.
  document(...words: readonly string[]): Promise<any>
  /** Starts a command, and resolves once it has asked so many questions. */
  asking(words: readonly string[], questions?: number): Promise<AskingCommand>
  /** Runs a command until it asks, and stops it with Ctrl-C. */
  interrupted(...words: readonly string[]): Promise<CommandResult>
  /** Runs a command whose create gets no answer. */
  losing(...words: readonly string[]): Promise<CommandResult>
}

export async function openDesk(
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
): Promise<Desk> {
  const service = await startService()
  const folder = await newFolder(files)
  const surroundings = { folder, env: { ...service.env(), ...env } }
  const inData = (words: readonly string[]): readonly string[] => [...words, '--data-dir', 'data']
  const command: Desk['command'] = (...words) => opsbook(inData(words), surroundings)
  const asking: Desk['asking'] = (words, questions) => untilAsked(inData(words), surroundings, questions)
  return {
    service,
    folder,
    surroundings,
    command,
    async document(...words) {
      const { stdout, stderr } = await command(...words, '--output', 'json')
      if (stdout === '') throw new Error(stderr)
      return JSON.parse(stdout)
    },
    asking,
    async interrupted(...words) {
      const { ended, signal } = await asking(words)
      signal('SIGINT')
      return ended
    },
    async losing(...words) {
      await service.fault({ operation: 'E2', times: 1, close_after: true })
      return command(...words)
    },
  }
}
