/** `opsbook test --watch`: runs tests again whenever a file of theirs changes, until a stop signal. */
import { existsSync, type FSWatcher, watch } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type CommandContext, tell } from '../shared/context.ts'
import { type ExitCode, exitCodes } from '../shared/exit-codes.ts'

/** What is watched, and what is done then. */
export interface Watched {
  /** The test files there are now. */
  find(): Promise<readonly string[]>
  /** Runs test files, and returns the paths that each of them read. `onRead` is called with each before it is read. */
  run(
    files: readonly string[],
    onRead: (path: string) => void,
  ): Promise<ReadonlyMap<string, ReadonlySet<string>>>
}

/** An editor writes a file in several steps. */
const settleMs = 100

/** Runs all tests, and then those whose files change. Ends at a stop signal. */
export async function watchTests(context: CommandContext, { find, run }: Watched): Promise<ExitCode> {
  const { io } = context
  const changed = new Set<string>()
  const read = new Map<string, ReadonlySet<string>>()
  const watchers = new Map<string, FSWatcher>()
  let isStopped = false
  let wake = (): void => {}
  const stopListening = io.onStopSignal(() => {
    isStopped = true
    wake()
  })
  const watchFolder = (folder: string): void => {
    if (watchers.has(folder) || !existsSync(folder)) return
    const watcher = watch(folder, (_event, name) => {
      if (name !== null) changed.add(resolve(folder, name))
      wake()
    })
    // A folder that goes away changes no test by itself.
    watcher.on('error', () => watchers.delete(folder))
    watchers.set(folder, watcher)
  }
  const watchFile = (path: string): void => watchFolder(dirname(path))
  const runAndWatch = async (files: readonly string[]): Promise<void> => {
    for (const [file, paths] of await run(files, watchFile)) read.set(file, paths)
    tell(context, context.errorPaint.dim('waiting for changes; Ctrl-C ends'))
  }
  try {
    for (const file of await find()) watchFile(resolve(io.workingDirectory, file))
    // Once more: what came before its folder was watched is found, and what comes later is seen.
    await runAndWatch(await find())
    while (!isStopped) {
      if (changed.size === 0) {
        await new Promise<void>((resume) => {
          wake = resume
        })
        await new Promise((resume) => setTimeout(resume, isStopped ? 0 : settleMs))
        continue
      }
      const seen = new Set(changed)
      changed.clear()
      const files = await find()
      const affected = files.filter((file) => {
        const paths = read.get(file)
        return paths === undefined || [...seen].some((path) => paths.has(path))
      })
      if (affected.length > 0) await runAndWatch(affected)
    }
  } finally {
    for (const watcher of watchers.values()) watcher.close()
    stopListening()
  }
  return exitCodes.succeeded
}
