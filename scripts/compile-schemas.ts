import { _, type Ajv, type Options } from 'ajv'
import standalone from 'ajv/dist/standalone/index.js'
import { createActions } from '../src/actions/index.ts'
import { operations } from '../src/api/operations/index.ts'
import { createCallsAjv } from '../src/api/validation/check-input.ts'
import { builtinActions } from '../src/core/builtins/index.ts'
import type { JsonSchema } from '../src/core/json.ts'
import { createOwnAjv } from '../src/load/ajv.ts'
import { shapeSchema } from '../src/load/check-shape.ts'
import { configurationSchema } from '../src/project/configuration/schema/index.ts'

/** Schemas that the build compiles, in the place of a module that holds none. */
export interface CompiledSchemas {
  /** The name of the chunk. */
  readonly name: string
  /** The path of the module in `src`. */
  readonly module: string
  readonly schemas: readonly JsonSchema[]
  readonly createAjv: (code?: Options['code']) => Ajv
  /** The options for the code, and the line that imports what the options name. */
  readonly code?: Options['code']
  readonly imports?: string
}

const actions = createActions()

/** Our own schemas that commands would compile at their start, and runs at their first call. */
export const compiledSchemas: readonly CompiledSchemas[] = [
  {
    name: 'schemas-of-runbooks',
    module: 'load/compiled-schemas.ts',
    schemas: [
      shapeSchema(),
      configurationSchema,
      ...[...builtinActions, ...actions].map(({ input }) => input),
    ],
    createAjv: createOwnAjv,
    code: { formats: _`formats` },
    imports: "import { formats } from '../schema/formats.ts'",
  },
  {
    name: 'schemas-of-calls',
    module: 'api/validation/compiled-schemas.ts',
    schemas: [...actions, ...Object.values(operations)].flatMap((one) =>
      'output' in one ? [one.input, one.output] : [one.input],
    ),
    createAjv: createCallsAjv,
  },
]

/** The module that the build puts in the place of the one in `src`. */
export function moduleOf({ schemas, createAjv, code, imports = '' }: CompiledSchemas): string {
  const texts = [...new Set(schemas.map((schema) => JSON.stringify(schema)))]
  const ajv = createAjv({ source: true, esm: true, ...code })
  const names = texts.map((_text, index) => `own${index}`)
  for (const [index, text] of texts.entries()) ajv.addSchema(JSON.parse(text), names[index])
  // The code that Ajv writes requires its helpers, and names the formats.
  return `import { createRequire } from 'node:module'
${imports}
const require = createRequire(import.meta.url)
${standalone.default(ajv, Object.fromEntries(names.map((name) => [name, name])))}
export const compiledSchemas = new Map([
${texts.map((text, index) => `[${JSON.stringify(text)}, ${names[index]}],`).join('\n')}
])
`
}
