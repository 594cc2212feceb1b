/**
 * Runs before each test file. A test that builds a program with Vite leaves NODE_ENV at "production" in its process,
 * which the next file of the same worker would inherit: React then has no `act`.
 */
process.env.NODE_ENV = "test";
