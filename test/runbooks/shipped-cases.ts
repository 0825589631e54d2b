import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { it } from 'vitest'
import { parse } from 'yaml'
import { checkOverHttp } from './check-over-http.ts'
import { checkWithService } from './check-with-service.ts'
import type { RunbookCase } from './runbook-case.ts'

const root = new URL('../../', import.meta.url)

/** The files of the runbooks that ship. */
export const shipped: readonly string[] = readdirSync(new URL('runbooks/', root))
  .filter((file) => !file.endsWith('.test.yaml'))
  .toSorted()

/** The cases of a runbook. */
export function casesOf(file: string): readonly RunbookCase[] {
  const path = new URL(`test/cases/runbooks/${file}`, root)
  return existsSync(path) ? parse(readFileSync(path, 'utf8'), { merge: true }) : []
}

/** Plays cases of a runbook by the command. */
export function playCases(file: string, cases: readonly RunbookCase[]): void {
  it.for(cases)('$name', async (runbookCase, { onTestFinished, expect }) => {
    const { http } = runbookCase
    // Others run at the same time, so that a poll needs the `expect` of its own test.
    if (http) await checkOverHttp(file, { ...runbookCase, http }, onTestFinished, expect.poll)
    else await checkWithService(file, runbookCase, onTestFinished)
  })
}
