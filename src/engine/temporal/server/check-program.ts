import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { oldestServer } from './release.ts'

const answerTimeoutMs = 20_000

/** Why a program cannot be used as the server; nothing where it can. */
export async function checkProgram(path: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(path, ['--version'], { timeout: answerTimeoutMs })
    // Not the version of the tool itself: a tool that was built from its source does not know it.
    const server = /\bServer (\d+\.\d+)/.exec(stdout)?.[1]
    if (server === undefined) return `${path} is no Temporal command line tool with a server in it`
    return isOlder(server, oldestServer)
      ? `${path} has Temporal server ${server} in it, and ${oldestServer} is needed`
      : undefined
  } catch (error) {
    return `${path} does not run: ${lastLine((error as Error).message)}`
  }
}

function isOlder(version: string, than: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [thanMajor = 0, thanMinor = 0] = than.split('.').map(Number)
  return major < thanMajor || (major === thanMajor && minor < thanMinor)
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? ''
}
