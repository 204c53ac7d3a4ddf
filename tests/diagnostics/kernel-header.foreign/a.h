double scale(double);
