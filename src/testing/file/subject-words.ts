import { type SubjectWords, wordsOfYamlFile } from '../../schema/index.ts'

/** How findings name a test file and its keys. */
export const wordsOfTestFile: SubjectWords = wordsOfYamlFile({
  whole: 'the test file',
  missing: (key) => `the test file needs the key "${key}"`,
  unknown: (key) => `there is no key "${key}" in a test file`,
})

/** How findings name a value that a script gives to an action. */
export const wordsOfAction: SubjectWords = wordsOfYamlFile({
  whole: 'the value',
  missing: (key) => `the value needs the key "${key}"`,
  unknown: (key) => `the action has no field "${key}" here`,
})
