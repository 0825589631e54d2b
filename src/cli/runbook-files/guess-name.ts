import { basename, extname } from 'node:path'
import { readRunbookText } from './read-runbook-text.ts'

/** The name that a runbook has which is not valid, as far as its text can be trusted; else that of its file. */
export async function guessName(file: string): Promise<string> {
  const read = await readRunbookText(file)
  const [, name] = ('text' in read ? /^name:\s*["']?([^\s"'#]+)/m.exec(read.text) : undefined) ?? []
  return name ?? basename(file, extname(file))
}
