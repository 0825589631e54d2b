import { opsbook, type RunningCommand } from './opsbook.ts'

/** `opsbook temporal codec-server`, running in this process. */
export interface CodecServer {
  readonly url: string
  /** What it has written to stderr. */
  log(): string
  /** Ends it, and answers with its exit code. */
  stop(): Promise<number>
}

/** Starts it on a free port. */
export function startCodecServer(
  env: Readonly<Record<string, string>>,
  words: readonly string[] = ['--listen', '127.0.0.1:0'],
): Promise<CodecServer> {
  return new Promise((resolve, reject) => {
    let log = ''
    const ended = opsbook(['temporal', 'codec-server', ...words], {
      env,
      folder: '/',
      onWrite(text, command: RunningCommand) {
        if (!text.startsWith('http')) log += text
        else
          resolve({
            url: text.trim(),
            log: () => log,
            async stop() {
              command.signal('SIGTERM')
              return (await ended).code
            },
          })
      },
    })
    ended.then(({ stderr }) => reject(new Error(stderr)), reject)
  })
}
