import { fileURLToPath } from 'node:url'
import type { ViteUserConfig } from 'vitest/config'

// Tests import the library by its public name. OPSBOOK_TEST_TARGET=dist points that name at the build.
const target = process.env.OPSBOOK_TEST_TARGET === 'dist' ? 'dist' : 'src'
const extension = target === 'dist' ? 'js' : 'ts'
const entryPoint = (folder: string): string =>
  fileURLToPath(new URL(`./${target}/${folder}index.${extension}`, import.meta.url))

// The name of a test file says when it runs: `.server` needs a Temporal server, `.browser` a browser, `.long` runs with
// `npm run test:full`.
const server = 'test/**/*.server.test.ts'
const long = 'test/**/*.long.test.ts'
const serverLong = 'test/**/*.server.long.test.ts'
const browserLong = 'test/**/*.browser.long.test.ts'
const browserServerLong = 'test/**/*.browser.server.long.test.ts'

// No test asserts how long something takes, so a poll may take nearly as long as its test.
const pollsFor = (timeout: number) => ({ expect: { poll: { timeout } } })
/**
 * Of tests that start processes, or prepare a stage for many tests, on a machine with other work. Such a test has a
 * second try, and `npm test` ends with the names of those that needed it. A hook has none.
 */
const patient = { testTimeout: 60_000, hookTimeout: 60_000, retry: 1, ...pollsFor(40_000) }
/**
 * Files share a process: to load the modules takes longer than most tests. Nothing is mocked, and each file starts what
 * it needs.
 */
const together = { isolate: false }
/** Of tests that take the server away, or wait for one of their own. */
const mostPatient = { testTimeout: 120_000, hookTimeout: 120_000, retry: 1, ...pollsFor(90_000) }
/** One real server for all tests of a project. */
const withServer = {
  globalSetup: ['test/engine/temporal/the-server.ts'],
  setupFiles: ['test/engine/temporal/support/quiet-sdk.ts'],
}

const config: ViteUserConfig = {
  resolve: {
    alias: {
      'opsbook/api': entryPoint('api/'),
      'opsbook/sandbox': entryPoint('sandbox/'),
      'opsbook/temporal': entryPoint(target === 'dist' ? 'temporal/' : 'engine/temporal/'),
      'opsbook/testing': entryPoint('testing/'),
      opsbook: entryPoint(''),
    },
  },
  test: {
    pool: 'forks',
    // One for each processor: on a small machine the default leaves half of it idle.
    maxWorkers: '100%',
    testTimeout: 20_000,
    ...pollsFor(15_000),
    projects: [
      {
        extends: true,
        test: {
          name: 'core',
          ...together,
          include: ['test/{core,view,load,fuzz,testing}/**/*.test.ts'],
          exclude: [server, long],
        },
      },
      {
        extends: true,
        test: {
          name: 'service',
          ...patient,
          retry: 0,
          ...together,
          include: ['test/{api,sandbox,service}/**/*.test.ts'],
          exclude: [server, long],
        },
      },
      {
        extends: true,
        test: {
          ...patient,
          ...together,
          name: 'engine',
          include: [
            'test/{actions,engine,cli,console,triggers,project,runbooks,security,torture}/**/*.test.ts',
          ],
          exclude: [server, long],
        },
      },
      {
        extends: true,
        test: { ...patient, name: 'browser', include: ['test/browser/**/*.browser.test.ts'] },
      },
      { extends: true, test: { ...patient, ...withServer, ...together, name: 'server', include: [server] } },
      {
        extends: true,
        test: { ...patient, name: 'long', include: [long], exclude: [serverLong, browserLong] },
      },
      {
        extends: true,
        test: {
          ...mostPatient,
          ...withServer,
          name: 'server-long',
          include: [serverLong],
          exclude: [browserServerLong],
        },
      },
      { extends: true, test: { ...patient, name: 'browser-long', include: [browserLong] } },
      {
        extends: true,
        test: { ...mostPatient, ...withServer, name: 'browser-server-long', include: [browserServerLong] },
      },
    ],
  },
}

export default config
