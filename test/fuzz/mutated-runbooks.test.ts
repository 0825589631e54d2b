import { describeMutatedRunbooks } from './describe-mutated-runbooks.ts'

// Every sixtieth node; the long test changes the others.
describeMutatedRunbooks((index) => index % 60 === 0)
