import { readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { text as streamText } from 'node:stream/consumers'
import type { Io } from '../io.ts'
import { isYaml } from '../runbook-files/list-runbooks.ts'
import { readRunbookText } from '../runbook-files/read-runbook-text.ts'

/** A file to check, or why there is nothing to check. `file` is the name people know it by. */
export type GatheredFile =
  | { readonly file: string; readonly text: string }
  | { readonly file: string; readonly problem: { readonly code: string; readonly message: string } }

/** The files at the paths, and how many YAML files of folders are no runbooks. */
export interface GatheredFiles {
  readonly files: readonly GatheredFile[]
  readonly skipped: number
}

/** Reads files as they are named, folders with everything in them that looks like a runbook, and `-` from stdin. */
export async function gatherFiles(paths: readonly string[], io: Io): Promise<GatheredFiles> {
  const gathered: GatheredFile[] = []
  let skipped = 0
  for (const path of new Set(paths)) {
    if (path === '-') {
      gathered.push({ file: '<stdin>', text: await streamText(io.stdin) })
      continue
    }
    const found = await stat(resolve(io.workingDirectory, path)).catch(() => undefined)
    if (found?.isDirectory()) {
      const folder = await gatherFolder(path, io)
      gathered.push(...folder.files)
      skipped += folder.skipped
    } else gathered.push(await gatherFile(path, io))
  }
  return { files: gathered, skipped }
}

async function gatherFile(path: string, io: Io): Promise<GatheredFile> {
  const read = await readRunbookText(resolve(io.workingDirectory, path))
  return { file: path, ...read }
}

async function gatherFolder(folder: string, io: Io): Promise<GatheredFiles> {
  const paths = await walk(folder, io)
  const all = await Promise.all(paths.map((path) => gatherFile(path, io)))
  const files = all.filter((file) => 'problem' in file || looksLikeRunbook(file.text))
  if (files.length > 0) return { files, skipped: all.length - files.length }
  const message = 'there is no runbook in this folder'
  return {
    files: [{ file: folder, problem: { code: 'FOLDER_WITHOUT_RUNBOOKS', message } }],
    skipped: all.length,
  }
}

/** The YAML files under a folder, hidden folders, dependencies and the configuration left out. */
async function walk(folder: string, io: Io): Promise<readonly string[]> {
  const entries = await readdir(resolve(io.workingDirectory, folder), { withFileTypes: true }).catch(() => [])
  const sorted = entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))
  const found = await Promise.all(
    sorted.map(async (entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) {
        return entry.name.startsWith('.') || entry.name === 'node_modules' ? [] : walk(path, io)
      }
      return isYaml(entry.name) && entry.name !== 'opsbook.yaml' ? [path] : []
    }),
  )
  return found.flat()
}

/** Other tools keep YAML files too. What says it is a runbook is one, and so is what has steps like one. */
function looksLikeRunbook(text: string): boolean {
  return text.trim() === '' || /^(apiVersion\s*:\s*["']?opsbook\/|steps\s*:)/m.test(text)
}
