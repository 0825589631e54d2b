import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestContext } from 'vitest'

/** Registers what is done when a test has ended. */
export type AtEnd = TestContext['onTestFinished']

/** A new folder with some files that goes away with a test, also with one of several at the same time. */
export async function newFolder(atEnd: AtEnd, files: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'opsbook-runbooks-'))
  atEnd(() => rm(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  return folder
}

/** Where a shipped runbook is. */
export function pathOf(file: string): string {
  return fileURLToPath(new URL(`../../runbooks/${file}`, import.meta.url))
}
