import { onTestFinished } from 'vitest'
import {
  type CommandResult,
  opsbook,
  type RunningCommand,
  type Surroundings,
} from '../../cli/support/opsbook.ts'

/** `opsbook serve` inside the test. */
export interface Serving {
  /** Where the hooks are. */
  readonly url: string
  /** Where health and metrics are. */
  readonly healthUrl: string
  /** What it has written to stdout. */
  readonly answer: () => string
  /** All that it has written, the log included. */
  readonly text: () => string
  /** The lines of its log about one run. */
  linesOf(runId: string): readonly Readonly<Record<string, unknown>>[]
  signal: RunningCommand['signal']
  stop(): Promise<CommandResult>
}

/** `serve` that does not start: the code that it ends with, and what it says. */
export async function refusedServing(
  words: readonly string[],
  surroundings: Surroundings,
): Promise<readonly [code: number, stderr: string]> {
  const { code, stderr } = await opsbook(['serve', '--listen', '127.0.0.1:0', ...words], surroundings)
  return [code, stderr]
}

/** Starts it on a free port of this machine unless the words say otherwise, and resolves once it is ready. */
export async function startServing(
  words: readonly string[],
  surroundings: Pick<Surroundings, 'folder' | 'env' | 'onExit'>,
): Promise<Serving> {
  let command: RunningCommand | undefined
  let written = ''
  let onReady = (): void => {}
  const ready = new Promise<undefined>((resolve) => {
    onReady = () => resolve(undefined)
  })
  const ended = new Promise<CommandResult>((end, fail) => {
    const onStart = (running: RunningCommand): void => {
      command = running
    }
    const onWrite = (text: string): void => {
      written += text
      if (written.includes('serve ready')) onReady()
    }
    opsbook(['serve', '--listen', '127.0.0.1:0', ...words], { ...surroundings, onStart, onWrite }).then(
      end,
      fail,
    )
  })
  const stop = (): Promise<CommandResult> => {
    command?.signal('SIGTERM')
    return ended
  }
  onTestFinished(async () => void (await stop()))
  const early = await Promise.race([ended, ready])
  if (early) throw new Error(`serve ended: ${early.stderr}`)
  const lines = (): readonly string[] => written.split('\n')
  const [, url = '', healthUrl = url] = /serve ready: ([^\s,]+)(?:, health at (\S+))?/.exec(written) ?? []
  return {
    url,
    healthUrl,
    signal: (signal) => command?.signal(signal),
    answer: () =>
      lines()
        .filter((line) => !line.startsWith('{'))
        .join('\n'),
    text: () => written,
    linesOf: (runId) =>
      lines()
        .filter((line) => line.startsWith('{') && line.includes(runId))
        .map((line) => JSON.parse(line)),
    stop,
  }
}
