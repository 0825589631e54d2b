import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import type { RunCase } from '../conformance/run-case.ts'
import { runCaseFiles } from '../conformance/run-case-files.ts'

const chosen = parse(readFileSync(new URL('../cases/shapes.yaml', import.meta.url), 'utf8')) as Readonly<
  Record<string, readonly string[]>
>

/** The cases of runs whose drawing, and whose view on a screen, differ in kind. */
export const shapes: readonly RunCase[] = Object.entries(chosen).flatMap(([file, names]) => {
  const cases = runCaseFiles.find((one) => one.file === file)?.cases ?? []
  return names.map((name) => {
    const found = cases.find((runCase) => runCase.name === name)
    if (!found) throw new Error(`${file} has no case "${name}"`)
    return found
  })
})
