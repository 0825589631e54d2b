import { wordsOfYaml } from '../../core/schema-sentences.ts'
import type { schemaProblems } from '../../load/yaml/index.ts'

/** How findings name a test file and its keys. */
export const wordsOfTestFile: NonNullable<Parameters<typeof schemaProblems>[3]> = {
  ...wordsOfYaml,
  whole: 'the test file',
  missing: (key) => `the test file needs the key "${key}"`,
  unknown: (key) => `there is no key "${key}" in a test file`,
}

/** How findings name a value that a script gives to an action. */
export const wordsOfAction: NonNullable<Parameters<typeof schemaProblems>[3]> = {
  ...wordsOfYaml,
  whole: 'the value',
  missing: (key) => `the value needs the key "${key}"`,
  unknown: (key) => `the action has no field "${key}" here`,
}
