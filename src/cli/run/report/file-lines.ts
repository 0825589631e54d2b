import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { printableLine } from '../../terminal/printable.ts'
import type { Style } from '../follow/step-sign.ts'
import type { ReportedRun } from './reported-run.ts'

const mostFiles = 10

/** Where the files lie that steps wrote. */
export function fileLines({ artifacts_dir }: ReportedRun, { paint }: Style): readonly string[] {
  const files = listFiles(artifacts_dir)
  if (files.length === 0) return []
  const hidden = files.length - mostFiles
  return [
    '',
    `${paint.bold('Files')} in ${printableLine(artifacts_dir)}`,
    ...files.slice(0, mostFiles).map((file) => `  ${printableLine(file)}`),
    ...(hidden > 0 ? [paint.dim(`  … and ${hidden} more`)] : []),
  ]
}

/** A folder that is not there has no files. */
function listFiles(folder: string, under = ''): readonly string[] {
  try {
    return readdirSync(join(folder, under), { withFileTypes: true }).flatMap((entry) => {
      const path = join(under, entry.name)
      return entry.isDirectory() ? listFiles(folder, path) : [path]
    })
  } catch {
    return []
  }
}
