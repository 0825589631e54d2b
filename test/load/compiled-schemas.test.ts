import { readdirSync, readFileSync } from 'node:fs'
import type { ValidateFunction } from 'ajv'
import { beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type CompiledSchemas, compiledSchemas } from '../../scripts/compile-schemas.ts'
import { isJsonObject, type JsonSchema } from '../../src/core/json.ts'
import { shapeSchema } from '../../src/load/check-shape.ts'
import { readSource } from '../../src/load/source.ts'
import { requireBuild } from '../cli/support/process.ts'
import { type LoadCase, runbookOf } from './load-case.ts'

const cases = new URL('../cases/load/', import.meta.url)

const built = new Map<string, ReadonlyMap<string, ValidateFunction>>()

beforeAll(async () => {
  requireBuild()
  for (const { name } of compiledSchemas) {
    const chunk: object = await import(new URL(`../../dist/chunks/${name}.js`, import.meta.url).href)
    built.set(name, Object.values(chunk).find((value) => value instanceof Map) ?? new Map())
  }
})

/** Fails unless the validator of the build finds what one finds that is compiled here; the number of errors. */
function compare(
  { name, createAjv }: CompiledSchemas,
  schema: JsonSchema,
  values: readonly unknown[],
): number {
  const ours = createAjv().compile(schema)
  const theirs = built.get(name)?.get(JSON.stringify(schema))
  if (!theirs) throw new Error('the build has not compiled this schema')
  let found = 0
  for (const value of values) {
    expect(theirs(value)).toBe(ours(value))
    expect(theirs.errors).toEqual(ours.errors)
    found += theirs.errors?.length ?? 0
  }
  return found
}

it.each(readdirSync(cases))('the build compiles the shape of runbooks: %s', (file) => {
  const loadCases: readonly LoadCase[] = parse(readFileSync(new URL(file, cases), 'utf8'))
  const [ofRunbooks] = compiledSchemas as [CompiledSchemas]
  const found = compare(
    ofRunbooks,
    shapeSchema(),
    loadCases.map((one) => readSource(runbookOf(one)).value),
  )
  if (file === 'keys.yaml') expect(found).toBeGreaterThan(10)
})

it.each(compiledSchemas)('the build compiles all schemas: $name', (compiled) => {
  let found = 0
  for (const schema of compiled.schemas) {
    const keys = isJsonObject(schema['properties']) ? Object.keys(schema['properties']) : []
    const wrong = [undefined, '', 'text', 7, [], {}, [{}], true].map((member) =>
      Object.fromEntries([...keys, 'nobody'].map((key) => [key, member])),
    )
    found += compare(compiled, schema, [null, {}, ...wrong])
  }
  // A schema may permit all that is tried here, but not many of them.
  expect(found).toBeGreaterThan(5 * compiled.schemas.length)
})
