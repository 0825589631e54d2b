import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Journal } from './journal.ts'

/** Everything that is wrong with the files of a run: they are whole, and nothing else looks as if it were. */
export function checkFiles({ run, attempts }: Journal): readonly string[] {
  const folder = run.artifacts_dir
  const written = attempts.flatMap(({ path, status, output }) => {
    const made = output as { path?: unknown; bytes?: unknown; sha256?: unknown } | undefined
    return status === 'succeeded' && typeof made?.sha256 === 'string' ? [{ step: path, made }] : []
  })
  const broken = written.flatMap(({ step, made }) => {
    const file = join(folder, String(made.path))
    if (!existsSync(file)) return [`${step}: its file ${made.path} is not there`]
    const bytes = readFileSync(file)
    const isWhole = bytes.length === made.bytes && sha256(bytes) === made.sha256
    return isWhole ? [] : [`${step}: its file ${made.path} is not what the journal says`]
  })
  const systemUserNamed = new Set(written.map(({ made }) => String(made.path)))
  // The file is there a moment before the journal says so.
  const isUnderWay = attempts.some(({ status }) => status === 'begun')
  const stray = filesIn(folder).filter((file) => !systemUserNamed.has(file) && !file.endsWith('.partial'))
  const leftover = filesIn(folder).filter((file) => /\.[0-9a-f]{8}\.partial$/.test(file))
  return [
    ...broken,
    ...(isUnderWay ? [] : stray.map((file) => `${file} belongs to no step that has ended well`)),
    ...(run.status === 'succeeded' ? leftover.map((file) => `${file} was left behind`) : []),
  ]
}

function filesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return []
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
