import { pytest, unittest } from "./ecosystems/python.js";
import { describeEcosystem } from "./matrix.js";

describeEcosystem(unittest);
describeEcosystem(pytest);
