import { onTestFinished } from 'vitest'
import { opsbook } from '../../cli/support/opsbook.ts'

/** A `serve` that runs in this process until the test ends. */
export interface Serving {
  /** Where the hooks are. */
  readonly url: string
  /** Where health and metrics are. */
  readonly healthUrl: string
  readonly log: () => string
  /** Stops it now. */
  stop(): Promise<void>
}

/** Starts `serve` with a sandbox, on a free port of this machine unless the words say otherwise. */
export async function serveIn(
  folder: string,
  words: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Serving> {
  let log = ''
  let end: (() => void) | undefined
  const all = [
    'serve',
    '--sandbox',
    '--allow-outside',
    '--output',
    'json',
    '--data-dir',
    `${folder}/data`,
    ...words,
  ]
  if (!words.includes('--listen')) all.push('--listen', '127.0.0.1:0')
  let result: Promise<unknown> = Promise.resolve()
  const ready = new Promise<string>((resolve, reject) => {
    result = opsbook(all, {
      folder,
      env,
      onWrite(text, command) {
        end ??= () => command.signal('SIGTERM')
        log += text
        if (text.includes('"url"')) resolve(text)
      },
    })
    result.then((ended) => reject(new Error(JSON.stringify(ended))), reject)
  })
  const stop = async (): Promise<void> => {
    end?.()
    await result
  }
  onTestFinished(stop)
  const { url, health_url: healthUrl = url } = JSON.parse(await ready)
  return { url, healthUrl, log: () => log, stop }
}
